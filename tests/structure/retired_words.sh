#!/usr/bin/env bash
# Finds names and phrases that the project has retired in code, messages, scripts, cases and pages, and says what stands in
# their place. The words of docs/notation.md are the ones to use. Ordinary uses of a word are no fault: a pattern asks for the
# private sense, and `allowed` below lists the few lines that remain.
#
#   retired_words.sh SOURCE_FOLDER
set -uo pipefail
cd "$1" || exit 2

# Pattern (Perl, of one line), and what to write. Names first, then phrases.
patterns=$(cat <<'LIST'
\b(ShareSink|ReactionShares|WorstShareSink|reaction_shares)\b	contribution
\b(LayoutShare|ModelShares|expand_share|share_from|case_shares)\b	partition
\bshare_text\b	broadcast
\b(BlockPlace|AttachmentPlace|residual_by_place|place_index)\b|\bdof place\b	offset
\b(Loop|Release|Branch)Watch\b|\b(loop|release|branch)_watch\b	monitor
\b[Ss]pecimens?\b|\bspecimen_	test state
\bfreedoms\b	degrees of freedom
\blost[_ ]power\b	dissipated power
\b[Cc]ompanions?\b|\bcompanion_	stabilizing unknown, multiplier of the stabilized form
\b(left_out|silence_left_out|leave_out_dependent|LeftOut)\b	redundant
\bpush_bare\b|\bsilenced?\b	change of velocities, set to zero
(?<!std::)\bremainder(?!s? of (a|the) (division|run|text))(_\w+)?\b	compensation
\b[Aa]ttachments?\b|\battachment_	element on a coordinate
\bJointDemand\b|\bJ::demand\b|\bJointRequirement demand\b	requirement
\b(SplitHost|HostStart|SlipCourse|split_host)\b|\bguests?\b	host element, slider, direction of slip
\bwho_asks\b	the requester
\brevisions?\b	change of the pattern
\brows? at zero\b|\b(constraints?|stops?|joints?|ends?) (that |which )?gives? way\b	compliant
\b(stop|weld|pivot|joint|row|contact)s?( \S+)? lets? go\b|\bjoints? (that|which) (does|do) not hold\b	inactive, released
\b(largest|reaction|residual) shares?\b|\bshares? of (an instance|the instances|a rank)\b|\bexpanded by shares\b	contribution, partition
(?i)\b(rows?|equations?|constraints?) (that )?(repeats? (others|each other|\d)|(are|is|was|were) left out)\b	redundant
LIST
)

# Lines that may stay, as "path: pattern". Changelogs keep the names of their time; the table of former names has them.
allowed=$(cat <<'LIST'
^(CHANGELOG\.md|tests/structure/retired_words\w*\.sh|.*former_names\w*\.[ch]pp):
^sdk/(check/)?include/trammel/.*\.hpp:.*(\[\[deprecated|former name)
^sdk/(include/trammel/registry\.hpp|src/registry\.cpp):.*\bfreedoms
^sdk/include/trammel/(joint_site|coordinate_element)\.hpp:.*(J::demand|attachment_)
^cases/governor/beam\.yaml:.*\bleft_out
LIST
)

files() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -e .git ]; then
    git ls-files -c -o --exclude-standard
  else
    find . -type f -not -path './build/*' -not -path './results/*' | sed 's|^\./||'
  fi | grep -E '\.(cpp|hpp|md|yaml|sh|py|cmake|in)$|(^|/)CMakeLists\.txt$' | while IFS= read -r f; do [ -f "$f" ] && echo "$f"; done
}

found=$(files | PATTERNS=$patterns ALLOWED=$allowed perl -e '
  my @patterns = map { [split /\t/] } split /\n/, $ENV{PATTERNS};
  $_->[0] = qr/$_->[0]/ for @patterns;
  my @allowed = map { qr/$_/ } split /\n/, $ENV{ALLOWED};
  while (my $file = <STDIN>) {
    chomp $file;
    open my $in, "<", $file or die "$file: $!";
    while (my $line = <$in>) {
      for my $p (@patterns) {
        next unless $line =~ $p->[0];
        my $word = $&;
        next if grep { "$file:$line" =~ $_ } @allowed;
        print "$file:$.: \x27$word\x27 is retired: $p->[1]\n";
      }
    }
  }')
[ -z "$found" ] || { echo "$found"; exit 1; }
