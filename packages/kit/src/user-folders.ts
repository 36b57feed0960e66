type Environment = Readonly<Record<string, string | undefined>>;

/** Folders in which the programs of a user keep their files. Absolute, without a slash at the end. */
export interface UserFolders {
  readonly home: string;
  readonly config: string;
  readonly data: string;
  readonly state: string;
  readonly cache: string;
}

/** Returns the user's home and the base folders of the XDG specification. */
export function userFolders(environment: Environment): UserFolders {
  const home = absoluteFolder(environment["HOME"], "");
  return {
    home,
    config: absoluteFolder(environment["XDG_CONFIG_HOME"], `${home}/.config`),
    data: absoluteFolder(environment["XDG_DATA_HOME"], `${home}/.local/share`),
    state: absoluteFolder(environment["XDG_STATE_HOME"], `${home}/.local/state`),
    cache: absoluteFolder(environment["XDG_CACHE_HOME"], `${home}/.cache`),
  };
}

/** Returns the folder that the value of a variable names, or the default if the value is no absolute path. */
export function absoluteFolder(value: string | undefined, defaultFolder: string): string {
  return value?.startsWith("/") ? normalizePath(value) : defaultFolder;
}

/** Returns the absolute paths that the values of variables name, without those that contain the user's home. */
export function namedPaths(environment: Environment, variables: readonly string[]): string[] {
  const paths = variables.map((name) => absoluteFolder(environment[name], ""));
  return withoutHome(
    environment,
    paths.filter((path) => path !== ""),
  );
}

/**
 * Leaves out the paths that contain the user's home. If a variable names the home as the folder of an agent, a sandbox
 * that lets the agent write there would protect nothing.
 */
export function withoutHome(environment: Environment, paths: readonly string[]): string[] {
  const { home } = userFolders(environment);
  return paths.filter((path) => !`${home}/`.startsWith(`${normalizePath(path)}/`));
}

/** Removes repeated slashes, `.`, `..` and the slash at the end of an absolute path. The root is an empty text. */
function normalizePath(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names.map((name) => `/${name}`).join("");
}
