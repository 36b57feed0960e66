import { runFirstFiveMinutes } from "../scripts/first-five-minutes.ts";
import type { Claim } from "../measure/claim.ts";

const maxSeconds = 300;

export const firstFiveMinutes: Claim = {
  id: "first-five-minutes",
  statement:
    "With only the README and Node 24, a newcomer installs Fairlead, answers an approval, resumes the session and reads its log.",
  bound: `every step of the README's quick start succeeds in a terminal; all commands ≤ ${maxSeconds} s`,
  async prove() {
    const { commands, problems, install, total } = await runFirstFiveMinutes();
    for (const problem of problems) console.log(problem);
    const seconds = total / 1000;
    return {
      measured: `${commands.length} commands in ${seconds.toFixed(1)} s, of which the installation took ${(install / 1000).toFixed(1)} s; ${problems.length} problems`,
      holds: problems.length === 0 && seconds <= maxSeconds,
    };
  },
};
