#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For sourcing: chroots of Debian's suites, which are made once, in the cache of the test kernels,
# and of which tests use copies.  Whatever is mounted is so in a namespace of its own.

chroots=$("$(dirname "${BASH_SOURCE[0]}")/../vm/kernel" --cache)/chroots
mirror=http://deb.debian.org/debian

# inside DIR COMMAND...: as root in a chroot, which has /proc and nothing else of the host.
inside() {
	local dir=$1
	shift

	# shellcheck disable=SC2016 # for the other shell
	unshare --mount --pid --fork --kill-child sh -c '
		mount -t proc proc "$1/proc" || exit
		cd "$1"
		dir=$1
		shift
		exec chroot "$dir" "$@"' sh "$dir" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

# inside_as_user DIR COMMAND...: as one who can write in /tmp/user only.
inside_as_user() {
	local dir=$1
	shift

	install -d -o 65534 -g 65534 "$dir/tmp/user"
	inside "$dir" setpriv --reuid=65534 --regid=65534 --clear-groups \
		env HOME=/tmp/user "$@"
}

# apt_in DIR ARGUMENT...
apt_in() {
	local dir=$1
	shift

	# Nobody minds if a power cut spoils a chroot.
	inside "$dir" apt-get -y -q --no-install-recommends \
		-o Dpkg::Options::=--force-unsafe-io "$@"
}

# cached NAME COMMAND...: the chroot NAME; if there is none, COMMAND DIR makes it.  It appears
# complete or not at all.  The status is $no_network if nothing could be fetched.
no_network=75
cached() {
	local name=$1 tmp status
	shift

	mkdir -p "$chroots"
	(
		flock 9
		[ ! -e "$chroots/$name" ] || exit 0
		tmp=$chroots/.$name.new
		# Left over from a run that was killed.
		rm -rf "$tmp"
		"$@" "$tmp" && mv "$tmp" "$chroots/$name" && exit
		status=$?
		rm -rf "$tmp"
		exit $status
	) 9>"$chroots/.$name.lock"
}

name_servers() {
	[ ! -e /etc/resolv.conf ] || cp /etc/resolv.conf "$1/etc/"
}

# copy_of NAME DIR
copy_of() {
	rm -rf "$2"
	cp -a --reflink=auto "$chroots/$1" "$2"
	name_servers "$2"
}

# use NAME DIR: DIR becomes a chroot like NAME, which stays as it is.  The caller has mounts of
# its own.  Where there is no overlay file system, it is a copy.
use() {
	mkdir -p "$2" "$2.changes" "$2.work"
	mount -t overlay overlay -o "lowerdir=$chroots/$1,upperdir=$2.changes,workdir=$2.work" "$2" \
		2>/dev/null || copy_of "$1" "$2"
	name_servers "$2"
}

# leave DIR: it is not needed any more.
leave() {
	umount "$1" 2>/dev/null
	rm -rf --one-file-system "$1" "$1.changes" "$1.work"
}

make_base() {
	unshare --mount debootstrap --variant=minbase "$1" "$2" $mirror </dev/null || return $no_network
	apt_in "$2" clean
}

# based_on SUITE DIR: DIR becomes a chroot that knows which packages there are now.
based_on() {
	cached "$1" make_base "$1" || return
	copy_of "$1" "$2"
	# A mirror that has not been updated for a week is good enough.
	apt_in "$2" -o APT::Update::Error-Mode=any -o Acquire::Check-Valid-Until=false update ||
		return $no_network
}

# make_builder SUITE SOURCES DIR: with what the packages need to be built.
make_builder() {
	based_on "$1" "$3" || return
	mkdir "$3/sources" && cp -R "$2/packaging/debian" "$3/sources/" &&
		apt_in "$3" build-dep /sources &&
		apt_in "$3" install make && apt_in "$3" clean && rm -r "$3/sources"
}

# make_target SUITE PACKAGES ARCH DIR: with kernel headers, what PACKAGES depend on, and
# openssl, with which DKMS makes a key to sign with.
make_target() {
	local dir=$4 needed

	based_on "$1" "$dir" || return
	mkdir "$dir/packages" && cp "$2"/*.deb "$dir/packages/" &&
		apt_in "$dir" install "linux-headers-$3" kmod openssl || return
	needed=$(inside "$dir" sh -c 'apt-get -s --no-install-recommends install /packages/*.deb' |
		awk '$1 == "Inst" && $2 !~ /^loadable-kprobes/ { print $2 }')
	# shellcheck disable=SC2086 # a list of words
	apt_in "$dir" install $needed && apt_in "$dir" clean || return
	rm -r "$dir/packages"
	# A kernel's package has done that; here may be only its headers.  With the last module of a
	# kernel DKMS takes its indexes away, too, so there is another one.
	for release in "$dir"/lib/modules/*; do
		gcc -c -x c -o "$release/another.ko" /dev/null || return
		inside "$dir" depmod "${release##*/}" || return
	done
}
