import { useState } from "react";
import { emptyStartForm, type StartForm } from "../../state/start-form.ts";

const storageKey = "fairlead.start";

/** A form that survives a reload of the tab, as before a newer page, and is gone with the tab. */
export function useStartForm(workspace: string | null): readonly [StartForm, (form: StartForm | null) => void] {
  const [form, setForm] = useState(() => ({ ...readForm(), ...(workspace !== null && { workspace }) }));
  const change = (next: StartForm | null): void => {
    setForm(next ?? emptyStartForm);
    if (next === null) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, JSON.stringify(next));
  };
  return [form, change];
}

/** A form of an older page may lack fields. */
function readForm(): StartForm {
  const kept = JSON.parse(sessionStorage.getItem(storageKey) ?? "{}") as Partial<StartForm>;
  return { ...emptyStartForm, ...kept, limits: { ...emptyStartForm.limits, ...kept.limits } };
}
