/** Lists the faults that are set, and lets a person add a fault. */
import { useState } from "preact/hooks";
import {
  FAULT_KINDS,
  FAULT_PLACES,
  type FaultField,
  type FaultKind,
  type FaultKindRule,
  OPERATIONS,
  type SetFault,
  whereText,
} from "../../emulator/faults/fault.js";
import { useLive } from "../../src/console/web/api.js";
import { Panel } from "../../src/console/web/ui.js";
import { Act, Button } from "./card-actions.js";
import { useControls } from "./control.js";
import { useEmulatorSpeech } from "./texts.js";

const KINDS = Object.keys(FAULT_KINDS) as FaultKind[];
const DURATIONS: readonly string[] = ["duration", "upTo"];

/** Returns the operations that a kind of fault can affect, in the order of `OPERATIONS`. */
function operationsOf({ strikes }: FaultKindRule): readonly string[] {
  const names = strikes.flatMap((place): readonly string[] => FAULT_PLACES[place].names);
  return OPERATIONS.filter((name) => names.includes(name));
}

export function FaultsPanel() {
  const { say, faultKind } = useEmulatorSpeech();
  const { url, act } = useControls();
  const faults = useLive<SetFault[]>(`${url}/faults`).value ?? [];
  return (
    <Panel title={say("faults")}>
      {faults.length === 0 ? (
        <p class="muted">{say("noFaults")}</p>
      ) : (
        <ul class="entries">
          {faults.map((fault) => (
            <li key={fault.id}>
              <span class="grow">
                <strong>{faultKind(fault.kind).name}</strong> {say("onPlace")} <strong>{fault.on}</strong>{" "}
                {whenOf(fault)}
                <span class="muted">
                  {" "}
                  {fault.seen === 0 ? say("notStruck") : say("struck", { struck: fault.struck, seen: fault.seen })}
                </span>
              </span>
              <Button
                text={say("takeAway")}
                about={faultKind(fault.kind).name}
                act={() => act("DELETE", `/faults/${fault.id}`)}
              />
            </li>
          ))}
        </ul>
      )}
      {faults.length > 0 && <Act text="clearFaults" step={{ faults: "clear" }} />}
      <NewFault />
    </Panel>
  );
}

function whenOf({ nth, where, probability, duration, upTo, statusWord, bit }: SetFault): string {
  const range = duration === undefined ? "" : upTo === undefined ? duration : `${duration}–${upTo}`;
  return [
    statusWord,
    bit !== undefined && `bit ${bit}`,
    range,
    nth && `#${nth}`,
    where && `(${whereText(where)})`,
    probability !== undefined && `p=${probability}`,
  ]
    .filter(Boolean)
    .join(" ");
}

type Typed = Readonly<Partial<Record<"on" | "nth" | "probability" | FaultField, string>>>;

function NewFault() {
  const { say, faultKind } = useEmulatorSpeech();
  const { act } = useControls();
  const [kind, setKind] = useState<FaultKind>("removedAfter");
  const [typed, setTyped] = useState<Typed>({ on: "sign" });
  const rule: FaultKindRule = FAULT_KINDS[kind];
  const { fields = [], required = [] } = rule;
  const operations = operationsOf(rule);
  const on = operations.find((name) => name === typed.on) ?? operations[0] ?? "";
  const set = (name: keyof Typed) => (event: { currentTarget: { value: string } }) =>
    setTyped({ ...typed, [name]: event.currentTarget.value });
  const add = (event: Event) => {
    event.preventDefault();
    const asked = (["nth", "probability", ...fields] as const).filter((name) => typed[name]);
    const given = Object.fromEntries(asked.map((name) => [name, valueFor(name, typed[name] ?? "")]));
    act("POST", "/do", { faults: [{ on, kind, ...given }] });
  };
  return (
    <form class="new" onSubmit={add}>
      <label>
        {say("what")}
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value as FaultKind)}>
          {KINDS.map((name) => (
            <option key={name} value={name}>
              {faultKind(name).name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {say("on")}
        <select value={on} onChange={set("on")}>
          {operations.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <p class="muted wide">{faultKind(kind).meaning}</p>
      {fields.map((name) => (
        <label key={name}>
          {name}
          <input
            value={typed[name] ?? ""}
            placeholder={DURATIONS.includes(name) ? "40s" : undefined}
            onInput={set(name)}
            required={required.includes(name)}
          />
        </label>
      ))}
      <label>
        {say("nth")}
        <input inputMode="numeric" value={typed.nth ?? ""} placeholder={say("everyTime")} onInput={set("nth")} />
      </label>
      <label>
        {say("probability")}
        <input inputMode="decimal" value={typed.probability ?? ""} placeholder="1" onInput={set("probability")} />
      </label>
      <button type="submit" class="main">
        {say("addFault")}
      </button>
    </form>
  );
}

/** Converts a typed text to the value that the control interface takes. */
function valueFor(name: "nth" | "probability" | FaultField, text: string): string | number {
  if (DURATIONS.includes(name)) return text;
  return name === "statusWord" ? text.toUpperCase() : Number(text);
}
