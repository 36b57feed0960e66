import { join } from "node:path";
import { Home } from "@fairlead/runtime";
import { TestHome } from "../../measure/test-home.ts";

/** What is on the small disk: the whole data directory, or only the journal. */
export type DiskContents = "home" | "journal";

/** A test home, part of which is on a small disk. */
export class SmallDiskTestHome extends TestHome {
  override readonly home: Home;

  constructor(disk: string, contents: DiskContents, environment: TestHome["environment"] = process.env) {
    super(environment);
    this.home =
      contents === "home" ? new Home(join(disk, "h")) : new HomeWithSeparateJournal(join(this.folder, "h"), disk);
  }
}

class HomeWithSeparateJournal extends Home {
  readonly #disk: string;

  constructor(folder: string, disk: string) {
    super(folder);
    this.#disk = disk;
  }

  override get journalFile(): string {
    return join(this.#disk, "journal.db");
  }
}
