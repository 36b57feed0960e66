/** Places at which a shell text can have a command. */
const places: readonly ((command: string) => string)[] = [
  (command) => command,
  (command) => `true && ${command}`,
  (command) => `false || ${command}`,
  (command) => `{ ${command}; }`,
  (command) => `(${command})`,
  (command) => `! ${command}`,
  (command) => `${command} &\nwait`,
  (command) => `echo "$(${command})"`,
  (command) => `echo \`${command}\``,
  (command) => `x=$(${command})`,
  (command) => `cat <(${command})`,
  (command) => `cat <<E\n$(${command})\nE`,
  (command) => `: <<< "$(${command})"`,
  (command) => `: > "/tmp/$(${command})x"`,
  (command) => `echo \${y:-$(${command})}`,
  (command) => `echo $(( 1 + $(${command}; echo 1) ))`,
  (command) => `a=(1 $(${command}))`,
  (command) => `if ${command}; then :; fi`,
  (command) => `if true; then ${command}; fi`,
  (command) => `while ${command}; do break; done`,
  (command) => `for i in 1; do ${command}; done`,
  (command) => `for ((i = 0; i < 1; i++)); do ${command}; done`,
  (command) => `case a in a) ${command};; esac`,
  (command) => `case $(${command}) in *) :;; esac`,
  (command) => `f() { ${command}; }; f`,
  (command) => `[[ -n $(${command}) ]]`,
  (command) => `[ -z "$(${command})" ]`,
  (command) => `eval '${command}'`,
  (command) => `bash -c '${command}'`,
  (command) => `sh -ec '${command}'`,
  (command) => `trap '${command}' EXIT`,
  (command) => `env A=1 ${command}`,
  (command) => `timeout 2 ${command}`,
  (command) => `nice -n 5 nohup ${command}`,
  (command) => `echo a | xargs ${command}`,
  (command) => `find src -name a.ts -exec ${command} {} \\;`,
  (command) => `bash <<'E'\n${command}\nE`,
  (command) => `exec ${command}`,
  (command) => `command ${command}`,
  (command) => `coproc ${command}; wait`,
  (command) => `time ${command}`,
  (command) => `cd src && ${command}`,
  (command) => `declare v=$(${command})`,
  (command) => `local_copy=1 ${command}`,
];

const commands = [
  "target one two",
  "ta'rg'et \"on\"e 'two'",
  "t=target; $t one",
  "/bin/target a{b,c}",
  "target $(inner x)",
  "target *.txt > /tmp/o",
];

/** Lists every command at every place, and at places within places. */
export function composeLines(): string[] {
  const once = places.flatMap((place) => commands.map(place));
  const twice = places.flatMap((outer) => places.map((inner) => outer(inner("target one"))));
  return [...new Set([...once, ...twice])];
}
