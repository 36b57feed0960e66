import { isConfigPath, isManifestPath } from "../gate/path-kinds.ts";

/** A changed file as git lists it: with its mode before and after. A file that does not exist has the mode 000000. */
export interface ModeChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** A file that could run something for the person who uses it, and why. */
export interface RunnableFile {
  readonly path: string;
  readonly reason: string;
}

const buildNames =
  /^(?:(?:GNU)?makefile|.*\.(?:mk|cmake|gradle|kts)|CMakeLists\.txt|justfile|Rakefile|Taskfile\.ya?ml|SConstruct|meson\.build|WORKSPACE|BUILD(?:\.bazel)?|.*\.bzl|build\.(?:rs|xml|zig)|conftest\.py|noxfile\.py|tox\.ini|Containerfile|Dockerfile.*|.*\.dockerfile|(?:docker-)?compose.*\.ya?ml|Vagrantfile|Procfile|flake\.nix|shell\.nix|default\.nix)$/i;
const hookFolders = /^(?:\.husky|\.githooks|\.git-hooks|githooks|hooks)$/i;
const hookNames =
  /^(?:\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.pre-commit-config\.yaml|\.pre-commit-hooks\.yaml|\.overcommit\.yml)$/i;
const pipelineFolders =
  /^(?:\.github|\.gitlab|\.circleci|\.buildkite|\.woodpecker|\.drone|\.forgejo|\.gitea|\.teamcity)$/i;
const pipelineNames =
  /^(?:\.gitlab-ci\.ya?ml|\.travis\.yml|azure-pipelines.*\.ya?ml|bitbucket-pipelines\.yml|Jenkinsfile.*|\.drone\.ya?ml|appveyor\.yml|\.cirrus\.yml|cloudbuild\.ya?ml|action\.ya?ml)$/i;
const editorFolders = /^(?:\.vscode|\.idea|\.devcontainer|\.zed|\.fleet|\.vs|nbproject)$/i;
const editorNames =
  /^(?:.*\.code-workspace|\.envrc|\.exrc|\.n?vimrc|\.lvimrc|\.dir-locals\.el|\.editorrc|\.tool-versions|mise\.toml|\.mise\.toml)$/i;
const gitNames = /^(?:\.gitattributes|\.gitmodules|\.gitconfig)$/i;
const toolNames =
  /^(?:.*\.config\.[cm]?[jt]s|\.[\w-]+rc\.[cm]?[jt]s|gulpfile\.[cm]?[jt]s|gruntfile\.[cm]?[jt]s|.*\.(?:sh|bash|zsh|fish|ps1|bat|cmd))$/i;

/**
 * Names the changed files that could run something for a person who merges them and then builds, commits, opens an editor or
 * starts an agent. Lists of names are never complete, so an unknown hidden file counts. Deleted files do not.
 */
export function findRunnableFiles(changes: readonly ModeChange[], agentFiles: readonly string[]): RunnableFile[] {
  return changes.flatMap((change) => {
    const reason = findReason(change, agentFiles);
    return reason === null ? [] : [{ path: change.path, reason }];
  });
}

function findReason({ path, before, after }: ModeChange, agentFiles: readonly string[]): string | null {
  if (after === "000000") return null;
  if (after === "160000") return "another repository";
  if (after === "120000") return "link";
  const segments = path.split("/");
  const name = segments.at(-1) ?? "";
  const isIn = (pattern: RegExp): boolean => segments.slice(0, -1).some((segment) => pattern.test(segment));
  if (isIn(hookFolders) || hookNames.test(name)) return "git hook";
  if (isIn(pipelineFolders) || pipelineNames.test(name)) return "build server";
  if (isIn(editorFolders) || editorNames.test(name)) return "editor";
  if (gitNames.test(name)) return "git";
  if (isManifestPath(path, undefined)) return "package scripts or dependencies";
  if (buildNames.test(name)) return "build";
  if (toolNames.test(name)) return "script or tool configuration";
  if (isConfigPath(path, undefined, agentFiles)) return "agent or tool configuration";
  return after === "100755" && before !== "100755" ? "executable" : null;
}
