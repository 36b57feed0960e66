/** How a program takes the command that it runs. Options are separated by blanks. */
export interface Wrapper {
  /** Options that take the next argument. */
  readonly valued?: string;
  /** Options that take no argument. What is neither in this list nor in the others is not understood. */
  readonly flags?: string;
  /** Options whose value is shell text. */
  readonly code?: string;
  /** How many arguments precede the command. */
  readonly skips?: number;
  /** Whether `NAME=value` may precede the command. */
  readonly assigns?: boolean;
  /** Whether the arguments are joined and given to a shell. */
  readonly joins?: boolean;
  /** Whether each argument is shell text of its own. */
  readonly each?: boolean;
  /** The subcommands that run a command. */
  readonly after?: string;
}

const tracer: Wrapper = {
  valued: "-o -e -p -s -u -P -a -b -E -I -O -S -X -l -x -n -D -A -F",
  flags: "-f -ff -c -C -q -qq -t -tt -ttt -r -T -v -xx -y -yy -i -k -d -w -z -Z -L",
};

/** Programs that run the command in their arguments. */
export const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    "env",
    {
      valued: "-u --unset -C --chdir",
      flags: "- -i --ignore-environment -0 --null -v --debug",
      code: "-S --split-string",
      assigns: true,
    },
  ],
  [
    "sudo",
    {
      valued: "-u --user -g --group -p --prompt -C -h --host -r -t -T -D --chdir -R --chroot -U",
      flags:
        "-n -E -H -S -k -K -b -A -i -s -v -l -P -B --non-interactive --preserve-env --set-home --stdin --login --shell",
      assigns: true,
    },
  ],
  ["doas", { valued: "-u -C", flags: "-n -s -L" }],
  ["nohup", {}],
  ["nice", { valued: "-n --adjustment", flags: "-1 -2 -3 -4 -5 -6 -7 -8 -9 -0" }],
  ["ionice", { valued: "-c --class -n --classdata -p --pid", flags: "-t --ignore" }],
  [
    "timeout",
    { valued: "-k --kill-after -s --signal", flags: "-v --verbose -p --preserve-status -f --foreground", skips: 1 },
  ],
  [
    "gtimeout",
    { valued: "-k --kill-after -s --signal", flags: "-v --verbose --preserve-status --foreground", skips: 1 },
  ],
  ["time", { valued: "-f --format -o --output", flags: "-p -v -a -l -h --portability --verbose --append" }],
  ["command", { flags: "-p" }],
  ["builtin", {}],
  ["exec", { valued: "-a", flags: "-c -l" }],
  ["setsid", { flags: "-c -f -w --ctty --fork --wait" }],
  ["stdbuf", { valued: "-i -o -e --input --output --error" }],
  ["chrt", { flags: "-f -r -o -b -i -d -R -v", valued: "-T -P -D", skips: 1 }],
  ["taskset", { flags: "-c -a", skips: 1 }],
  ["numactl", { flags: "-l" }],
  ["busybox", {}],
  ["toybox", {}],
  ["chroot", { skips: 1 }],
  ["unshare", { flags: "-r -m -u -i -n -p -U -C -T -f", valued: "-R -w -S -G" }],
  ["nsenter", { flags: "-a -m -u -i -n -p -U -C -T -F -Z", valued: "-t -S -G -r -w" }],
  ["strace", tracer],
  ["ltrace", tracer],
  [
    "flock",
    { valued: "-w --timeout --wait -E", flags: "-n -x -s -e -u -o -F -v --nonblock", code: "-c --command", skips: 1 },
  ],
  [
    "watch",
    { valued: "-n --interval", flags: "-d -t -b -e -g -c -x -p -q --differences --no-title --color", joins: true },
  ],
  [
    "ssh",
    {
      valued: "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w",
      flags: "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y",
      skips: 1,
      joins: true,
    },
  ],
  ["su", { valued: "-s --shell -g -G -w", flags: "- -l -m -p -P --login", code: "-c --command", skips: 9 }],
  ["runuser", { valued: "-u -s -g -G -w", flags: "- -l -m -p", code: "-c --command" }],
  ["script", { valued: "-I -O -B -T -m -o -E", flags: "-a -e -f -q --quiet --flush", code: "-c --command", skips: 9 }],
  ["systemd-run", { flags: "--user --scope --wait -t -P -q -G", valued: "-p -u --unit -E --property" }],
  [
    "hyperfine",
    { valued: "-w --warmup -r --runs -m -M -i --export-markdown --export-json", flags: "-N -i", each: true },
  ],
  [
    "concurrently",
    { valued: "-n --names -c --prefix-colors -p --prefix -m", flags: "-k --kill-others -r --raw -s -g", each: true },
  ],
  ["cross-env", { assigns: true }],
  ["cross-env-shell", { assigns: true, joins: true }],
  ["dotenv", { valued: "-e -c -p -v", flags: "-o --no-expand" }],
  ["xvfb-run", { valued: "-e -f -n -p -s -w", flags: "-a -l --auto-servernum" }],
  ["dbus-run-session", {}],
  ["unbuffer", { flags: "-p" }],
  ["eatmydata", {}],
  ["fakeroot", {}],
  ["caffeinate", { valued: "-t -w", flags: "-d -i -m -s -u" }],
  ["faketime", { flags: "-f -m", skips: 1 }],
  ["setarch", { flags: "-R", skips: 1 }],
  ["linux64", { flags: "-R" }],
  ["linux32", { flags: "-R" }],
  ["poetry", { after: "run" }],
  ["pipenv", { after: "run" }],
  ["pdm", { after: "run" }],
  ["rye", { after: "run" }],
  ["bundle", { after: "exec" }],
  [
    "uv",
    {
      after: "run",
      valued:
        "--with --with-editable --with-requirements -p --python --extra --group --project --directory --package --env-file",
      flags: "--frozen --locked --no-sync --offline --isolated --all-extras --dev --no-dev --active --exact -q -v -s",
    },
  ],
  ["mise", { after: "exec x" }],
  ["corepack", { after: "npm npx yarn pnpm pnpx" }],
]);

/** Programs that read shell text. */
export const shells: ReadonlySet<string> = new Set("sh bash dash zsh ksh mksh ash rbash fish csh tcsh".split(" "));
