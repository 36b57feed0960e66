import { type PageFiles, readPageFiles } from "./page-files.ts";

/**
 * The page of a folder. It is read once, when the first request needs it, so that its document and the files that the
 * document names are of one build, also when the folder is built again while the service runs.
 */
export class PageSource {
  readonly #folder: string;
  #files: PageFiles | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the files, or null if the page is not built. A page that was missing may have been built since. */
  read(): PageFiles | null {
    this.#files ??= readPageFiles(this.#folder);
    return this.#files;
  }
}
