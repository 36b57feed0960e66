import { join } from "node:path";
import { Home } from "@fairlead/runtime";
import { Ground } from "../ground.ts";

/** What is on the small disk: all that a home holds, journal and spools; or the journal alone. */
export type Held = "home" | "journal";

/** A ground of which some is on a small disk. */
export class SmallDiskGround extends Ground {
  override readonly home: Home;

  constructor(disk: string, held: Held) {
    super();
    this.home = held === "home" ? new Home(join(disk, "h")) : new HomeWithJournalApart(join(this.folder, "h"), disk);
  }
}

class HomeWithJournalApart extends Home {
  readonly #disk: string;

  constructor(folder: string, disk: string) {
    super(folder);
    this.#disk = disk;
  }

  override get journal(): string {
    return join(this.#disk, "journal.db");
  }
}
