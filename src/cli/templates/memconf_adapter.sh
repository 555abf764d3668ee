#!/usr/bin/env bash
# The lines between memconf and your handler of Claude's memory tool. Needs bash and jq.
#
# As it stands, every command is answered with an error. Make it drive your handler in the two lines marked CHANGE,
# then:
#
#     memconf run -- bash memconf_adapter.sh
#
# memconf writes one JSON object a line to stdin and reads one a line from stdout. stderr is yours, for logs.

# Carries out one command: gets its input, such as {"command":"view","path":"/memories"}, on stdin, and prints what
# Claude gets to read. An exit status other than 0 makes it an error. The store belongs in the folder $MEMCONF_ROOT,
# which is empty before each script, or, after a restart, as your handler left it.
handle() {
  printf 'Error: the command %s is not implemented' "$(jq -r .command)"; return 1 # CHANGE: call your handler
}

# Prints the folder that /memories maps to, so that memconf can also look at the disk; nothing, if it is not a folder.
store() {
  printf '' # CHANGE: such as printf '%s/memories' "$MEMCONF_ROOT"
}

# Below here nothing needs to change: memconf's protocol, version 1.

# stdout belongs to the protocol: from here on whatever is printed goes to stderr, and replies to 3.
exec 3>&1 1>&2

# Three lines a message: its type; the folder of a reset, or the id of a command; and the input of a command.
jq --unbuffered -r '.type, (.root // .id), (.input | tojson)' |
  while IFS= read -r type && IFS= read -r word && IFS= read -r input; do
    case $type in
      reset) # the next script: begin anew, with an empty folder
        export MEMCONF_ROOT=$word
        jq -nc --arg store "$(store)" '{type: "ready"} + if $store == "" then {} else {store: $store} end' >&3
        ;;
      tool_use) # what `handle` prints, and its exit status in three digits
        { handle <<<"$input" && printf '000' || printf '%03d' $?; } |
          jq -Rsc --arg id "$word" \
            '{type: "tool_result", tool_use_id: $id, content: .[:-3], is_error: (.[-3:] != "000")}' >&3
        ;;
      *) printf '%s\n' '{"type": "error", "message": "this type of message is not known"}' >&3 ;;
    esac
  done
