/** Whether a path is a folder or in it. Both are absolute and contain no `..`. The folder may end with a slash. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || `${path}/`.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
