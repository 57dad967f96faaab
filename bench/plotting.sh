# shellcheck shell=bash disable=SC2034
# To be sourced: the Python that draws plots, Debian's, with matplotlib and yaml where they can be had.
python=/usr/bin/python3
if ! "$python" -c 'import matplotlib, yaml' 2>/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing python3-matplotlib and python3-yaml" >&2
  apt-get install -y --no-install-recommends python3-matplotlib python3-yaml >/dev/null 2>&1 ||
    echo "could not install python3-matplotlib and python3-yaml" >&2
fi
