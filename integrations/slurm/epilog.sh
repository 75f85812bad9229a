#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Slurm's epilog for inquest, one file: names the cause of death of a job that
# failed, in a file and in the job's AdminComment.
#
#   slurm.conf:  Epilog=/etc/slurm/epilog.d/inquest.sh
#
# It never fails a node and never delays one: it answers at once with 0 (after 5
# seconds at most), goes on in the background, and is ended after 10 seconds
# whatever happens. Only the first node of a job works, and only for a job that
# failed. What users wrote is read with their rights, not root's. Settings, with
# their defaults, in /etc/default/inquest-epilog:
#
#   INQUEST=inquest                        the program
#   INQUEST_EPILOG_DIR=/var/spool/inquest  results: JOB-RESTARTS.diagnosis.json and .txt;
#                                          `inquest fleet load` reads the folder.
#                                          For root alone: they quote logs
#   INQUEST_EPILOG_SECONDS=10              for everything
#   INQUEST_EPILOG_KERNEL=1                0: do not read this node's dmesg
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
settings=${INQUEST_EPILOG_SETTINGS:-/etc/default/inquest-epilog}
# shellcheck disable=SC1090
[ ! -r "$settings" ] || . "$settings"
inquest=${INQUEST:-inquest}
folder=${INQUEST_EPILOG_DIR:-/var/spool/inquest}
seconds=${INQUEST_EPILOG_SECONDS:-10}
job=${SLURM_JOB_ID:-}

# One field of `scontrol --oneliner show job`.
field() { sed -n "s/.* $1=\([^ ]*\).*/\1/p" <<<" $facts" | head -n 1; }

failed() {
  case $(field JobState) in
    FAILED | TIMEOUT | NODE_FAIL | OUT_OF_MEMORY | DEADLINE | BOOT_FAIL) return 0 ;;
    CANCELLED | PREEMPTED | COMPLETED) return 1 ;;
  esac
  # Still completing.
  case $(field Reason) in
    TimeLimit | OutOfMemory | NodeDown | NonZeroExitCode) return 0 ;;
  esac
  [ "$(field ExitCode)" != 0:0 ]
}

as_user() {
  if [ "$(id -u)" = 0 ] && [ "${SLURM_JOB_UID:-0}" != 0 ]; then
    setpriv --reuid="$SLURM_JOB_UID" --regid="$SLURM_JOB_GID" --init-groups \
      --no-new-privs -- "$@"
  else
    "$@"
  fi
}

# The job's own output, and recordings beside it that name this job.
inputs() {
  local file
  for file in "$(field StdOut)" "$(field StdErr)"; do
    as_user test -f "$file" -a -r "$file" && printf '%s\n' "$file"
  done | sort -u
  as_user find "$(field WorkDir)" -maxdepth 3 -name run.json \
    -newermt "$(field StartTime)" -exec \
    grep -lsE "\"SLURM_JOB_ID\": *\"$job\"" {} + 2>/dev/null |
    head -n 64 | sed 's|/run.json$||'
}

# The kernel's words since the job began, which users may not read themselves.
kernel() {
  [ "${INQUEST_EPILOG_KERNEL:-1}" = 1 ] || return
  dmesg --time-format iso --since "$(field StartTime)" 2>/dev/null | tail -n 5000
}

diagnose() {
  local name words=() path messages
  name=$folder/$job-$(field Restarts)
  while IFS= read -r path; do words+=("$path"); done < <(inputs)
  [ ${#words[@]} -gt 0 ] || return 0
  messages=$(kernel)
  [ -z "$messages" ] || words+=(--log -)
  # Root opens the files, the user's process only writes to them.
  as_user "$inquest" diagnose --format json --verdict /dev/fd/3 "${words[@]}" \
    3>"$name.txt.new" >"$name.json.new" 2>/dev/null <<<"$messages"
  if [ -s "$name.json.new" ] && [ -s "$name.txt.new" ]; then
    # The facts last: whoever waits for them finds the text as well.
    mv "$name.txt.new" "$name.txt"
    mv "$name.json.new" "$name.diagnosis.json"
    comment "$(head -c 800 "$name.txt")"
  else
    rm -f "$name.json.new" "$name.txt.new"
  fi
}

# slurmctld refuses it for a job that has ended, up to 22.05 at least; slurmdbd,
# where there is one, takes it for sacct.
comment() {
  local text="inquest: ${1//[\"\']/}"
  sacctmgr --immediate modify job where "JobID=$job" \
    set "AdminComment=\"$text\"" >/dev/null 2>&1
  scontrol update "JobId=$job" "AdminComment=$text" >/dev/null 2>&1
}

first_node() {
  local first
  first=$(scontrol show hostnames "${SLURM_JOB_NODELIST:-$SLURM_NODELIST}" |
    head -n 1)
  [ "$first" = "$SLURMD_NODENAME" ]
}

work() {
  umask 077
  first_node || return
  mkdir -p "$folder" || return
  facts=$(scontrol --oneliner show job "$job") || return
  failed && diagnose
}

case ${1:-} in
  --work)
    echo begun
    exec >/dev/null
    work
    ;;
  *)
    # In a session of its own: slurmd ends what its epilog leaves behind, so
    # that session has to be there before this process ends.
    if [ -n "$job" ]; then
      read -r -t 5 _ < <(setsid timeout --kill-after=1 "$seconds" \
        "${BASH_SOURCE[0]}" --work </dev/null 2>/dev/null)
    fi
    ;;
esac
exit 0
