/**
 * Shows changes of rates and addresses, old values beside new ones: changes that wait for a person's confirmation, and
 * changes that no person has seen.
 */
import { useId, useState } from "preact/hooks";
import type { ConfigurationChange } from "../../ledger/sent.js";
import type { ConfirmedRecord, HeldRecord, MadeRecord, ToReadRecord } from "../records/audits.js";
import type { InfoRecord } from "../records/info.js";
import { call, useLive } from "./api.js";
import { Ask, type Question } from "./ask.js";
import { permitted } from "./permitted.js";
import { PinField } from "./pin-field.js";
import { useSpeech } from "./texts.js";
import { Panel, Problem, useAction } from "./ui.js";
import { usePermit } from "./use-permit.js";

interface ChangesToReadProps {
  readonly info: InfoRecord;
  /** Called after each answer of the person. */
  readonly changed: () => void;
  /** Called when commands that waited were executed or refused. */
  readonly answered?: () => void;
}

export function ChangesToRead({ info, changed, answered }: ChangesToReadProps) {
  const { say } = useSpeech();
  const { value, refresh } = useLive<ToReadRecord>("/console/audit/changes");
  const { held = [], made = [] } = value ?? {};
  const done = () => {
    refresh();
    changed();
  };
  if (held.length + made.length === 0) return null;
  return (
    <Panel title={say("changesOfRates")} class="reports">
      <ul>
        {held.map((one) => (
          <Held
            key={one.uid}
            held={one}
            asksPin={!info.asksToken}
            done={() => {
              done();
              answered?.();
            }}
          />
        ))}
        {made.map((one) => (
          <Made key={one.id} made={one} done={done} />
        ))}
      </ul>
    </Panel>
  );
}

interface HeldProps {
  readonly held: HeldRecord;
  readonly asksPin: boolean;
  readonly done: () => void;
}

function Held({ held: { uid, ids, changes, asksTwice }, asksPin, done }: HeldProps) {
  const speech = useSpeech();
  const { say } = speech;
  const field = useId();
  const [pin, setPin] = useState("");
  const [question, setQuestion] = useState<Question>();
  const { busy, problem, run } = useAction();
  const send = (path: "confirm" | "refuse") =>
    run(async () => {
      setPin("");
      const body = { uid, ids, twice: true, ...(asksPin ? { pin } : {}) };
      await permitted(speech, () => call<ConfirmedRecord>(`/console/audit/${path}`, { method: "POST", body }));
      done();
    });
  const apply = (event: Event) => {
    event.preventDefault();
    if (!asksTwice) send("confirm");
    else {
      const texts = { title: say("changesTwice"), means: say("changesTwiceMeans"), answer: say("changesApply") };
      setQuestion({ ...texts, act: () => send("confirm") });
    }
  };
  const refuse = () =>
    setQuestion({
      title: say("changesRefuseAsk"),
      means: say("changesRefuseMeans"),
      answer: say("changesRefuse"),
      act: () => send("refuse"),
    });
  return (
    <li class="care">
      <p class="name">{say("changesHeld", { n: ids.length })}</p>
      <p class="muted">
        {say("card")} {uid}
      </p>
      <p>{say("changesHeldAbout")}</p>
      <Changes changes={changes} />
      <form class="pin" onSubmit={apply}>
        {asksPin && (
          <>
            <label for={field}>{say("pin")}</label>
            <PinField id={field} value={pin} change={setPin} />
          </>
        )}
        <div class="row" aria-busy={busy}>
          <button type="submit" class="main" disabled={busy}>
            {say("changesApply")}
          </button>
          <button type="button" disabled={busy || (asksPin && pin === "")} onClick={refuse}>
            {say("changesRefuse")}
          </button>
        </div>
        <Problem text={problem} />
      </form>
      {question && <Ask question={question} closed={() => setQuestion(undefined)} />}
    </li>
  );
}

function Made({ made: { id, uid, at, changes }, done }: { readonly made: MadeRecord; readonly done: () => void }) {
  const { say, time } = useSpeech();
  const { busy, problem, run } = useAction(done);
  const { permit, dialog } = usePermit();
  const seen = () =>
    run(() => permit((pin) => call("/console/audit/seen", { method: "POST", body: { ids: [id], ...pin } })));
  return (
    <li class="care">
      <p class="name">{say("changesMade")}</p>
      <p class="muted">
        {time(at)} · {say("card")} {uid}
      </p>
      <Changes changes={changes} />
      <div class="row" aria-busy={busy}>
        <button type="button" disabled={busy} onClick={seen}>
          {say("changesSeen")}
        </button>
      </div>
      <Problem text={problem} />
      {dialog}
    </li>
  );
}

function Changes({ changes }: { readonly changes: readonly ConfigurationChange[] }) {
  const { say, day, time } = useSpeech();
  return (
    <ul class="changes">
      {changes.map(({ name, group, before, after }) => (
        <li key={`${group?.id} ${group?.chosen?.from} ${name} ${before} ${after}`}>
          <strong>{name === "root" ? say("changesRoot") : name === "ntpServer" ? say("timeServer") : name}</strong>{" "}
          {group && <span class="muted">{say("changesGroup", { id: group.id, day: day(group.validFrom) })} </span>}
          {group?.chosen && (
            <span class="muted">
              {say("changesPast", { from: time(group.chosen.from), until: time(group.chosen.until) })}{" "}
            </span>
          )}
          <del>{before ?? say("changesNothing")}</del> <ins>{after ?? say("changesNothing")}</ins>
        </li>
      ))}
    </ul>
  );
}
