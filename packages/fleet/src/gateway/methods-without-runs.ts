import type { RunPage } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { createHostMethods } from "./host-methods.ts";

/** A base class with the methods that a host executes. It refuses runs, which a gateway does not lead. */
export class MethodsWithoutRuns extends createHostMethods() {
  runs(): Promise<RunPage> {
    return Promise.resolve({ runs: [], next: null });
  }

  startRun(): Promise<never> {
    return Promise.reject(noRuns());
  }

  checkRun(): Promise<never> {
    return Promise.reject(noRuns());
  }

  run(): Promise<never> {
    return Promise.reject(noRuns());
  }

  runEvents(): Promise<never> {
    return Promise.reject(noRuns());
  }

  cancelRun(): Promise<never> {
    return Promise.reject(noRuns());
  }
}

function noRuns(): FairleadError {
  return new FairleadError("not-supported", "A gateway does not lead runs of several agents yet.");
}
