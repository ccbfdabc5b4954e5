/** What goes wrong: the faults that are set, and a new one. What there is comes from the interface's own description. */
import { useState } from "preact/hooks";
import { useLive, useTold } from "./api.js";
import { type SetFault, useControls } from "./control.js";
import { useSpeech } from "./texts.js";
import { Panel } from "./ui.js";

/** The part of an OpenAPI document that is read here. */
interface Description {
  readonly paths: {
    readonly "/control/faults": {
      readonly post: {
        readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: FaultSchema }>> };
      };
    };
  };
}

interface FaultSchema {
  readonly properties: {
    readonly on: { readonly anyOf: readonly { readonly enum?: readonly string[] }[] };
    readonly kind: { readonly enum: readonly string[]; readonly description: string };
  };
}

/** Fields of a fault besides where and what, by the kinds that have them. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  latency: ["ms", "upTo"],
  statusWord: ["statusWord"],
  clockJump: ["ms"],
};
const STORE = ["storeIntent", "storeAnswer", "storeOutcome", "storeCard", "storeReport"];
/** Where a kind is possible, if not everywhere. */
const ONLY: Readonly<Record<string, readonly string[]>> = {
  connectionDropped: ["answer"],
  diskFull: STORE,
  diskReadOnly: STORE,
  diskError: STORE,
};

export function FaultsPanel() {
  const { say } = useSpeech();
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
                <strong>{fault.kind}</strong> {say("onPlace")} <strong>{fault.on}</strong> {whenOf(fault)}
                <span class="muted">
                  {" "}
                  {fault.seen === 0 ? say("notStruck") : say("struck", { struck: fault.struck, seen: fault.seen })}
                </span>
              </span>
              <button
                type="button"
                onClick={() => act("DELETE", `/faults/${fault.id}`)}
                aria-label={`${say("takeAway")}: ${fault.kind}`}
              >
                {say("takeAway")}
              </button>
            </li>
          ))}
        </ul>
      )}
      {faults.length > 0 && (
        <button type="button" onClick={() => act("DELETE", "/faults")}>
          {say("clearFaults")}
        </button>
      )}
      <NewFault />
    </Panel>
  );
}

function whenOf({ nth, probability, ms, upTo, statusWord }: SetFault): string {
  const range = ms === undefined ? "" : upTo === undefined ? `${ms} ms` : `${ms}–${upTo} ms`;
  return [statusWord, range, nth && `#${nth}`, probability !== undefined && `p=${probability}`]
    .filter(Boolean)
    .join(" ");
}

function NewFault() {
  const { say } = useSpeech();
  const { url, act } = useControls();
  const description = useTold<Description>(`${url}/openapi.json`);
  const [fault, setFault] = useState<Readonly<Record<string, string>>>({ on: "sign", kind: "removedAfter" });
  const { on, kind } =
    description?.paths["/control/faults"].post.requestBody.content["application/json"]?.schema.properties ?? {};
  if (!on || !kind) return null;
  const chosen = fault.kind ?? "";
  const set = (name: string) => (event: { currentTarget: { value: string } }) =>
    setFault({ ...fault, [name]: event.currentTarget.value });
  const places = ONLY[chosen] ?? on.anyOf.flatMap((choice) => choice.enum ?? []);
  const place = places.includes(fault.on ?? "") ? (fault.on ?? "") : (places[0] ?? "");
  const add = (event: Event) => {
    event.preventDefault();
    const numbers = ["nth", "probability", "ms", "upTo"].filter((name) => asked(chosen, name) && fault[name]);
    act("POST", "/faults", {
      ...{ on: place, kind: chosen },
      ...Object.fromEntries(numbers.map((name) => [name, Number(fault[name])])),
      ...(chosen === "statusWord" ? { statusWord: (fault.statusWord ?? "").toUpperCase() } : {}),
    });
  };
  return (
    <form class="new" onSubmit={add}>
      <label>
        {say("what")}
        <select value={chosen} onChange={set("kind")}>
          {kind.enum.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        {say("on")}
        <select value={place} onChange={set("on")}>
          {places.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <p class="muted wide" lang="en">
        {meaningOf(kind.description, chosen).replaceAll("`", "")}
      </p>
      {(FIELDS[chosen] ?? []).map((name) => (
        <label key={name}>
          {name}
          <input value={fault[name] ?? ""} onInput={set(name)} required={chosen !== "latency"} />
        </label>
      ))}
      <label>
        {say("nth")}
        <input inputMode="numeric" value={fault.nth ?? ""} placeholder={say("everyTime")} onInput={set("nth")} />
      </label>
      <label>
        {say("probability")}
        <input inputMode="decimal" value={fault.probability ?? ""} placeholder="1" onInput={set("probability")} />
      </label>
      <button type="submit" class="main">
        {say("addFault")}
      </button>
    </form>
  );
}

function asked(kind: string, name: string): boolean {
  return name === "nth" || name === "probability" || (FIELDS[kind]?.includes(name) ?? false);
}

/** `kind: meaning; kind: meaning` is how the description says it. */
function meaningOf(description: string, kind: string): string {
  const [, after = ""] = `; ${description}`.split(`; ${kind}: `);
  return after.split(/; (?=\w+: )/)[0] ?? "";
}
