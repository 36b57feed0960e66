import type { StartRequest } from "@fairlead/api";
import { permissionModes, type PermissionMode } from "@fairlead/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { useLocation, useSearchParams } from "wouter";
import { useFairlead, useGrant, useOverview, useScope } from "../../app/fairlead-context.ts";
import { Button } from "../../components/button.tsx";
import { ProblemText } from "../../components/problem-text.tsx";
import { RepeatKey } from "../../state/repeat-key.ts";
import { recentWorkspaces, type StartForm, buildStartRequest, chooseStart } from "../../state/start-form.ts";
import { AgentChoice } from "./agent-choice.tsx";
import { Field, inputStyle } from "./field.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { useStartForm } from "./use-start-form.ts";

/** A start that is repeated after an outage, also after a reload, starts one session. */
const keys = new RepeatKey(sessionStorage, "fairlead.start.key");

/** Starts a session. */
export function StartView(): ReactNode {
  const fairlead = useFairlead();
  const { overview } = useOverview();
  const canDrive = useScope("drive");
  const { isKnown, scopes } = useGrant();
  const [, navigate] = useLocation();
  const [query] = useSearchParams();
  const [form, setForm] = useStartForm(query.get("workspace"));
  const newest = useRef(form);
  useEffect(() => void (newest.current = form), [form]);
  const listId = useId();
  const { data: agents = [], error: agentsError } = useQuery({
    queryKey: ["agents"],
    queryFn: () => fairlead.agents(),
  });
  const folders = recentWorkspaces(overview.sessions.values());
  const { view, modes, mode } = chooseStart(form, agents, scopes);
  const chosen = view?.agent ?? "";
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ request, key }: { form: StartForm; request: StartRequest; key: string }) =>
      fairlead.start(request, { key }),
    onSettled: (_, problem) => keys.settle(problem),
    onSuccess: ({ session }, sent) => {
      // What was changed meanwhile stays for the next session.
      if (newest.current === sent.form) setForm(null);
      navigate(`/s/${session}`);
    },
  });
  const start = (): void => {
    const request = buildStartRequest({ ...form, agent: chosen, mode });
    mutate({ form, request, key: keys.keyFor(JSON.stringify(request)) });
  };
  const change = (part: Partial<StartForm>): void => setForm({ ...form, ...part });
  if (!isKnown)
    return <p className="animate-late p-4 text-quiet">The service has not said yet what this page may do.</p>;
  if (!canDrive)
    return <p className="p-4 text-quiet">Your access has no scope “drive”, so it cannot start sessions.</p>;
  return (
    <form
      className="mx-auto flex h-full max-w-160 flex-col gap-4 overflow-y-auto p-4"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <h1 className="text-xl font-bold">Start a session</h1>
      {agentsError !== null && <ProblemText error={agentsError} />}
      <AgentChoice agents={agents} scopes={scopes} chosen={chosen} onChoose={(agent) => change({ agent })} />
      <Field label="Folder" hint="An absolute path on the service's machine.">
        <input
          required
          className={`${inputStyle} font-mono text-sm`}
          list={listId}
          value={form.workspace}
          onChange={({ target }) => change({ workspace: target.value })}
        />
        <datalist id={listId}>
          {folders.map((folder) => (
            <option key={folder}>{folder}</option>
          ))}
        </datalist>
      </Field>
      <Field label="First message">
        <textarea
          className={`${inputStyle} field-sizing-content max-h-80 min-h-24 py-2`}
          value={form.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
      </Field>
      <Field label="Mode" hint={permissionModes[mode]}>
        <select
          className={inputStyle}
          value={mode}
          onChange={({ target }) => change({ mode: target.value as PermissionMode })}
        >
          {modes.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </Field>
      <label className="flex items-baseline gap-2 max-sm:min-h-11">
        <input
          type="checkbox"
          checked={form.isIsolated}
          onChange={({ target }) => change({ isIsolated: target.checked })}
        />
        <span>
          Work in an isolated copy{" "}
          <span className="text-quiet">on a branch of its own, without uncommitted changes</span>
        </span>
      </label>
      <Field label="Name" hint="For people. Without one, the first message names the session.">
        <input className={inputStyle} value={form.name} onChange={({ target }) => change({ name: target.value })} />
      </Field>
      <LimitFields limits={form.limits} onChange={(limits) => change({ limits })} />
      {error !== null && <ProblemText error={error} />}
      <div>
        <Button type="submit" kind="primary" disabled={isPending || chosen === "" || form.workspace.trim() === ""}>
          {isPending ? "Starting…" : "Start"}
        </Button>
        {view !== null && form.workspace.trim() === "" && <span className="pl-3 text-quiet">Name a folder first.</span>}
      </div>
    </form>
  );
}
