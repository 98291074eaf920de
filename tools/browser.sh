#!/bin/sh
# Makes sure that there is a Chromium for the tests of the pages; they are skipped without one.
set -eu
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing chromium, for the tests of the pages"
    apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium \
            >/dev/null || echo "chromium could not be installed; its tests are skipped" >&2
else
    echo "No Chromium here: the tests of the pages are skipped (sudo apt-get install chromium)" >&2
fi
