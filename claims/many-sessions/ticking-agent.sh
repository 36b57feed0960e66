#!/bin/bash
# An agent that says what time it is, COUNT times, one every EVERY seconds: `ticking-agent.sh '"COUNT EVERY"'`.
# In a shell, so that some hundreds of them leave the machine to what is measured.
LC_ALL=C
options=${1//\"/}
read -r count every <<<"$options"
echo '{"type":"hello","conversation":"ticking","model":"none"}'
read -r _
for ((said = 0; said < count; said++)); do
  echo "{\"type\":\"spoken\",\"what\":\"text\",\"text\":\"$EPOCHREALTIME\"}"
  # A pause without a process: nothing is ever said to it meanwhile.
  read -r -t "$every" _
done
echo '{"type":"done","outcome":"completed"}'
while read -r _; do :; done
