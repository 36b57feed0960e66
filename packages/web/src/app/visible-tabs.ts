// oxlint-disable unicorn/require-post-message-target-origin -- a channel is of one origin, and has no such argument
/** How long another tab may take to say that a person looks at it. */
const answerTimeoutMs = 200;

/** Knows whether a person looks at a tab of this page. */
export class VisibleTabs {
  readonly #channel = new BroadcastChannel("fairlead.visible-tabs");

  constructor() {
    this.#channel.addEventListener("message", ({ data }) => {
      if (data === "is one visible?" && document.visibilityState === "visible") this.#channel.postMessage("visible");
    });
  }

  async isAnyVisible(): Promise<boolean> {
    if (document.visibilityState === "visible") return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const hear = ({ data }: MessageEvent): void => {
      if (data === "visible") resolve(true);
    };
    this.#channel.addEventListener("message", hear);
    const timer = setTimeout(() => resolve(false), answerTimeoutMs);
    this.#channel.postMessage("is one visible?");
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#channel.removeEventListener("message", hear);
    }
  }

  close(): void {
    this.#channel.close();
  }
}
