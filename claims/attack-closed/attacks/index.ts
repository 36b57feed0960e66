import type { Attack } from "../attack.ts";
import { accessAttacks } from "./access.ts";
import { approvingAttacks } from "./approving.ts";
import { sharingAttacks } from "./sharing.ts";
import { stoppingAttacks } from "./stopping.ts";
import { storingAttacks } from "./storing.ts";
import { terminalAttacks } from "./terminal.ts";

/** All attacks, in the order in which the claim runs them. */
export const attacks: readonly Attack[] = [
  ...stoppingAttacks,
  ...sharingAttacks,
  ...approvingAttacks,
  ...accessAttacks,
  ...storingAttacks,
  ...terminalAttacks,
];
