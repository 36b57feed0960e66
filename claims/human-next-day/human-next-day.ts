import type { Claim } from "../../measure/claim.ts";
import { answerNextDay } from "./answer-next-day.ts";

export const humanNextDay: Claim = {
  id: "human-next-day",
  statement: "A person may answer a run tomorrow, after a restart, and silence is not a no.",
  bound:
    "answered after a restart and a simulated day: done; a deadline that passed during the restart: timed-out, and not denied, and nothing pushed; control: with a deadline after that day, the same answer counts",
  async prove() {
    const answered = await answerNextDay({ hours: 24, deadlineHours: null, answers: true });
    const late = await answerNextDay({ hours: 24, deadlineHours: 23, answers: false });
    const inTime = await answerNextDay({ hours: 24, deadlineHours: 25, answers: true });
    return {
      measured:
        `a day later: ${answered.outcome}, ${answered.decision}; ` +
        `deadline passed: ${late.outcome}, ${late.decision}, ${late.pushed ? "pushed" : "nothing pushed"}; ` +
        `control, an hour before the deadline: ${inTime.outcome}`,
      holds:
        answered.outcome === "done" &&
        answered.pushed &&
        late.outcome === "timed-out" &&
        late.decision === "timed-out" &&
        !late.pushed &&
        inTime.outcome === "done",
    };
  },
};
