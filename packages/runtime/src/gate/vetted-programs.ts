/** What is known of a program that may run without a question. Lists are separated by blanks. */
export interface VettedProgram {
  /** Options that make it run another program or load other code. */
  readonly runs?: string;
  /** Whether its options are words with one dash, such as `-exec`. */
  readonly hasWordOptions?: boolean;
  /** Options whose value is a file that it writes. */
  readonly outputs?: string;
  /** Which operands it writes: all, the last, or the second and later ones. */
  readonly writes?: "all" | "last" | "second";
  /**
   * Whether it runs code of the workspace, as tests and builds do. No argument may lead outside, because a configuration or
   * plugin from there would run, too.
   */
  readonly isProjectTool?: boolean;
  /** The only subcommands that are vetted. */
  readonly subcommands?: string;
  /** Options before a subcommand that take a value. */
  readonly valued?: string;
}

const vetted = new Map<string, VettedProgram>();

function add(names: string, program: VettedProgram = {}): void {
  for (const name of names.split(" ")) vetted.set(name, program);
}

// Shell builtins. Those that evaluate text are doubts of the reading.
add(
  "echo printf true false : test [ cd pushd popd dirs pwd exit return break continue shift set unset local declare typeset readonly export read getopts let wait jobs bg fg times umask type hash shopt ulimit trap eval command builtin exec alias unalias mapfile readarray caller disown suspend source . enable",
);
// Programs that only read and print.
add(
  "cat head tail wc ls tac nl rev cut paste column fold fmt expand unexpand tr join comm cmp diff diff3 od hexdump strings file stat du df basename dirname realpath readlink cal uname arch whoami id groups hostname nproc free uptime ps pgrep pidof lsof tty locale getconf seq sleep yes which whereis md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum cksum sum b2sum md5 base64 base32 numfmt factor expr tsort tput clear printenv grep egrep fgrep zgrep zcat bzcat xzcat gzcat jq tokei cloc scc jobs sw_vers lsb_release nm objdump readelf size ldd pstree vmstat getent shellcheck actionlint hadolint yamllint jsonlint dirname look errno",
);
add(
  "nohup time timeout gtimeout nice ionice stdbuf setsid env xargs cross-env unbuffer caffeinate dbus-run-session xvfb-run eatmydata",
);
add("date", { runs: "-s --set" });
add("rg", { runs: "--pre --hostname-bin" });
add("ag ack", { runs: "--pager" });
add("find", { hasWordOptions: true, runs: "-delete -fprint -fprint0 -fprintf -fls -ok -okdir" });
add("fd fdfind");
add("sort", { runs: "--compress-program --files0-from -T --temporary-directory", outputs: "-o --output" });
add("shuf", { outputs: "-o --output" });
add("tree", { outputs: "-o" });
add("uniq xxd", { writes: "second", runs: "-r" });
add("less more", { runs: "-o -O --log-file --LOG-FILE -k --lesskey-file --lesskey-src" });
add("bat batcat", { runs: "--pager" });
add("yq", { runs: "-i --inplace --in-place" });
add("watch");
add("sed gsed", { runs: "-f --file -z" });
add("awk gawk mawk nawk", {
  runs: "-f --file -i --include -l --load -E --exec -e --source -o --pretty-print -p --profile -d --dump-variables -D --debug",
});
// Programs that write files.
add("touch mkdir rmdir tee", { writes: "all" });
add("truncate shred", { writes: "all" });
add("cp mv ln install", { runs: "-S --suffix --strip-program", writes: "last" });
add("rm unlink", { writes: "all" });
add("chmod", { runs: "--reference" });
add("tar bsdtar", {
  runs: "--checkpoint-action --to-command --use-compress-program -I --rsh-command --rmt-command --info-script --new-volume-script -F --absolute-names -P",
});
add("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd", { writes: "all" });
add("zip", { runs: "-TT -T --unzip-command --test" });
add("unzip", { runs: "-P" });
add("split", { runs: "--filter", writes: "second" });
add("patch", { runs: "-d --directory -o --output --get -g -r", writes: "all" });
// Interpreters. What they run is inspected apart.
add("node nodejs", {
  runs: "-r --require --import --loader --experimental-loader --inspect --inspect-brk --inspect-port --inspect-wait -i --interactive --env-file --env-file-if-exists --run --snapshot-blob --build-snapshot --openssl-config --experimental-config-file --allow-child-process",
  isProjectTool: true,
});
add("python python2 python3 python3.10 python3.11 python3.12 python3.13 python3.14 pypy3", {
  runs: "-i -X",
  isProjectTool: true,
});
add("ruby", { runs: "-r -S -x -C -I", isProjectTool: true });
add("php", { runs: "-S -d -c -z -t -a", isProjectTool: true });
add("tsx ts-node", { runs: "-r --require --import", isProjectTool: true });
add("bash sh dash", { isProjectTool: true });
add("java", {
  hasWordOptions: true,
  runs: "-javaagent -agentpath -agentlib -XX:OnOutOfMemoryError -XX:OnError",
  isProjectTool: true,
});
// Test runners, compilers, linters, formatters and bundlers.
add(
  "jest vitest mocha ava tap tape uvu borp jasmine karma nyc c8 istanbul stryker cypress playwright-test tsc tsgo vue-tsc svelte-check tsd attw publint eslint oxlint xo standard semistandard standardx ts-standard jshint jslint tslint stylelint prettier biome dprint oxfmt remark markdownlint markdownlint-cli2 commitlint cspell knip depcheck madge dpdm ls-lint editorconfig-checker eclint size-limit bundlesize type-coverage rollup rolldown webpack esbuild vite tsup tsdown unbuild parcel browserify swc babel uglifyjs terser cleancss sass lessc postcss tailwindcss typedoc jsdoc api-extractor docco gulp grunt hereby tshy zshy microbundle bunchee storybook gzip-size pretty-bytes tap-spec pkg-utils micromark-build patch-package npm-run-all run-s run-p wireit lint-staged " +
    "pytest py.test tox nox mypy ruff black isort flake8 pylint pyright basedpyright bandit pydocstyle autopep8 yapf coverage sphinx-build mkdocs behave ty pyflakes vulture codespell " +
    "rustc rustfmt gofmt goimports golangci-lint staticcheck gotestsum gcc g++ cc c++ clang clang++ clang-format clang-tidy cppcheck ctest meson ninja javac kotlinc ktlint scalac scalafmt checkstyle phpunit phpcs phpcbf phpstan psalm pint rspec rubocop standardrb minitest shfmt buf protoc swiftlint swiftformat ocamlformat dune hlint ormolu credo xmllint yamlfmt taplo buildifier bats",
  {
    hasWordOptions: true,
    runs: "-wrapper -fplugin -plugin -specs --rulesdir --pager --toolexec -toolexec -vettool",
    outputs: "-o --output --outfile --outdir --outFile --outDir --out-file --out-dir --output-file",
    isProjectTool: true,
  },
);
add("playwright", { subcommands: "test show-report", isProjectTool: true });
add("next nuxt astro svelte-kit remix expo ng nest react-scripts", {
  subcommands: "build lint test check info typecheck",
  isProjectTool: true,
});
add("turbo nx lage", {
  subcommands: "run test build lint affected run-many graph typecheck show",
  isProjectTool: true,
});
add("rimraf premove del del-cli", { writes: "all" });
add("mkdirp", { writes: "all" });
add("copyfiles cpx cpy ncp", { writes: "last" });
add("npx bunx pnpx", { isProjectTool: true });
add("npm", {
  subcommands:
    "test t tst run run-script rum urn start ci clean-install ic ls list la ll outdated view info show why explain pack help help-search root bin prefix fund query docs search exec x pkg audit",
  valued:
    "--prefix -C -w --workspace --loglevel --registry --cache --userconfig --globalconfig --script-shell --node-options",
  runs: "--script-shell --node-options --userconfig --globalconfig --registry -g --global --location",
  isProjectTool: true,
});
// Any other word is the name of a script.
add("yarn", { valued: "--cwd", runs: "--use-yarnrc --script-shell", isProjectTool: true });
add("pnpm", {
  valued: "--filter -F -C --dir --loglevel --reporter",
  runs: "--script-shell --shell-emulator --config.script-shell",
  isProjectTool: true,
});
add("bun", {
  subcommands: "test run build install",
  valued: "--filter --cwd",
  runs: "-r --preload -e --eval -p --print",
  outputs: "--outfile --outdir",
  isProjectTool: true,
});
add("deno", {
  subcommands: "test fmt lint check bench doc info task types coverage bundle",
  runs: "--import-map --allow-run --reload",
  isProjectTool: true,
});
add("make gmake", { runs: "--eval -E", isProjectTool: true });
add("cmake", { hasWordOptions: true, runs: "-P -E -C --install", isProjectTool: true });
add("cargo", {
  subcommands:
    "build b check c test t run r bench clippy fmt doc d tree metadata clean nextest locate-project pkgid verify-project version expand llvm-cov miri",
  valued: "--color --manifest-path",
  runs: "--config -Z -C",
  isProjectTool: true,
});
add("go", {
  hasWordOptions: true,
  subcommands: "build test vet fmt run list version doc env tool mod clean",
  runs: "-exec -toolexec -vettool -overlay -modfile -w -u --exec --toolexec --vettool --overlay",
  outputs: "-o",
  isProjectTool: true,
});
add("mvn mvnw", {
  hasWordOptions: true,
  valued: "-pl --projects -T --threads -rf -P",
  runs: "-s --settings -gs --global-settings -f --file",
  isProjectTool: true,
});
add("gradle gradlew", {
  runs: "-I --init-script -c --settings-file -b --build-file -p --project-dir",
  isProjectTool: true,
});
add("dotnet", {
  subcommands: "build test format restore run clean --version --info msbuild list",
  isProjectTool: true,
});
add("bundle", { subcommands: "exec check list show info", isProjectTool: true });
add("poetry", { subcommands: "run check show env version", isProjectTool: true });
add("pipenv pdm", { subcommands: "run graph check", isProjectTool: true });
add("uv", { subcommands: "run tree version", runs: "--with --with-editable --with-requirements", isProjectTool: true });
add("hatch rye", { subcommands: "run test fmt", isProjectTool: true });
add("pip pip3", { subcommands: "list show freeze check --version", isProjectTool: true });
add("rake", { runs: "-f --rakefile -r --require -e --execute -p -E -I -R", isProjectTool: true });
add("rails", { subcommands: "test routes stats spec", isProjectTool: true });
add("mix", { subcommands: "test format compile credo dialyzer", isProjectTool: true });
add("swift", { subcommands: "build test package --version", isProjectTool: true });
add("composer", { subcommands: "validate show outdated test check-platform-reqs", isProjectTool: true });
add("git", {
  subcommands:
    "status diff log show branch add commit stash checkout switch restore reset rev-parse blame annotate worktree merge-base tag remote grep ls-files ls-tree cat-file describe shortlog rev-list reflog config rm mv apply check-ignore check-attr format-patch name-rev for-each-ref show-ref show-branch diff-tree diff-index diff-files version help count-objects fsck init range-diff whatchanged cherry bisect hash-object var symbolic-ref notes clean --version",
  valued: "-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix",
  runs: "--exec-path --git-dir --work-tree --config-env --upload-pack --receive-pack --ext-diff --open-files-in-pager -O --extcmd --template --exec --unsafe-paths --web",
  outputs: "--output -o --output-directory",
});
add("docker podman", {
  subcommands: "ps images image build logs version info compose buildx stats top port history diff",
  valued: "-c --context -H --host -l --log-level --config",
  runs: "-H --host --push --config",
  isProjectTool: true,
});
add("docker-compose", { subcommands: "ps build logs images version ls top" });
add("kubectl", {
  subcommands: "get describe logs explain version api-resources api-versions top diff",
  valued: "-n --namespace --context --cluster --kubeconfig -s --server --user --token",
  runs: "--kubeconfig -s --server --token --raw",
});
add("helm", {
  subcommands: "template lint list version show get status history",
  valued: "-n --namespace --kube-context",
  runs: "--post-renderer",
});
add("terraform tofu", {
  hasWordOptions: true,
  subcommands: "plan fmt validate version show output graph providers init",
  runs: "-chdir -plugin-dir -from-module -upgrade -backend-config",
  isProjectTool: true,
});

/** The programs that the default policy lets run, with what makes them harmful. */
export const vettedPrograms: ReadonlyMap<string, VettedProgram> = vetted;
