import type { Attempt } from "../attempt.ts";
import { daemonSocketAttempts } from "./daemon-socket.ts";
import { dataDirectoryAttempts } from "./data-directory.ts";
import { gitAttempts, unprotectedGitAttempts } from "./git.ts";
import { gitWithoutCommitsAttempts } from "./git-without-commits.ts";
import { homeAsWorkspaceAttempts } from "./home-as-workspace.ts";
import { keeperSocketAttempts } from "./keeper-socket.ts";
import { laterChangeAttempts } from "./later-changes.ts";
import { linkAttempts } from "./links.ts";
import { networkAttempts } from "./network.ts";
import { outsideFileAttempts } from "./outside-files.ts";
import { ownFolderAttempts } from "./own-folders.ts";
import { privilegeAttempts } from "./privileges.ts";
import { processAttempts } from "./processes.ts";
import { sharedKernelObjectAttempts } from "./shared-kernel-objects.ts";
import { socketAttempts } from "./sockets.ts";

export const attempts: readonly Attempt[] = [
  ...daemonSocketAttempts,
  ...keeperSocketAttempts,
  ...dataDirectoryAttempts,
  ...processAttempts,
  ...socketAttempts,
  ...gitAttempts,
  ...unprotectedGitAttempts,
  ...gitWithoutCommitsAttempts,
  ...outsideFileAttempts,
  ...ownFolderAttempts,
  ...homeAsWorkspaceAttempts,
  ...laterChangeAttempts,
  ...linkAttempts,
  ...networkAttempts,
  ...privilegeAttempts,
  ...sharedKernelObjectAttempts,
];
