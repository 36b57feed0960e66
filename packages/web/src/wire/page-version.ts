/** Returns the name of the program that this page runs. It has a digest of the content. */
function runningProgram(): string | null {
  return document.querySelector("script[type=module]")?.getAttribute("src") ?? null;
}

/** Whether the service serves another page now, as after an upgrade. False if it cannot be asked. */
export async function isPageReplaced(): Promise<boolean> {
  const running = runningProgram();
  try {
    const response = await fetch("/", { headers: { accept: "text/html" } });
    return response.ok && running !== null && !(await response.text()).includes(running);
  } catch {
    return false;
  }
}
