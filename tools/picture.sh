#!/bin/sh
# Photographs a page into docs/NAME-{light,dark}.png (needs Debian's chromium, and for its marks and
# letters fonts-noto-color-emoji and fonts-liberation):
# picture.sh [PAGE [NAME]]; WIDTH and HEIGHT are those of the window.
set -eu
page=${1:-build/demo/comment.html}
name=${2:-comment}
fc-list | grep -qi emoji || {
    echo "No font has ✅ here: apt-get install fonts-noto-color-emoji fonts-liberation" >&2
    exit 1
}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "No Chromium here: apt-get install chromium" >&2
    exit 1
}
for mode in light dark; do
    profile=$(mktemp -d)
    [ "$mode" = dark ] && scheme=--blink-settings=preferredColorScheme=0 || scheme=--blink-settings=preferredColorScheme=1
    "$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --hide-scrollbars --force-device-scale-factor=2 \
        "$scheme" --user-data-dir="$profile" --window-size="${WIDTH:-900},${HEIGHT:-375}" \
        --screenshot="docs/$name-$mode.png" "file://$PWD/$page" >/dev/null 2>&1
    rm -rf "$profile"
    echo "docs/$name-$mode.png"
done
