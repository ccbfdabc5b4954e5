/** What goes wrong: the faults that are set, and a new one. What there is comes from the interface's own description. */
import { useState } from "preact/hooks";
import { useLive, useTold } from "../../src/console/web/api.js";
import { useSpeech } from "../../src/console/web/texts.js";
import { Panel } from "../../src/console/web/ui.js";
import { type SetFault, useControls } from "./control.js";

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
    readonly on: Places;
    readonly kind: { readonly enum: readonly string[]; readonly description: string };
  };
  readonly allOf: readonly Rule[];
}

interface Places {
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Places[];
}

/** What the description says of one kind: where it cannot strike, which fields it has not, and which it must have. */
interface Rule {
  readonly if: { readonly properties: { readonly kind?: { readonly const?: string }; readonly on?: object } };
  readonly then: {
    readonly required?: readonly string[];
    readonly properties?: { readonly on?: { readonly not: Places } } & Readonly<
      Record<string, { readonly not?: object }>
    >;
  };
}

const DURATIONS = ["duration", "upTo"];
const FIELDS = ["duration", "upTo", "statusWord", "bit"];

const namesOf = ({ enum: names = [], anyOf = [] }: Places): string[] => [...names, ...anyOf.flatMap(namesOf)];

/** `not: {}` allows no value at all. */
const isNever = (not: object | undefined): boolean => not !== undefined && Object.keys(not).length === 0;

function rulesOf(kind: string, { allOf }: FaultSchema) {
  const rules = allOf.filter(({ if: { properties } }) => properties.kind?.const === kind && !properties.on);
  const refused = rules.flatMap(({ then }) => (then.properties?.on ? namesOf(then.properties.on.not) : []));
  const unused = FIELDS.filter((field) => rules.some(({ then }) => isNever(then.properties?.[field]?.not)));
  return {
    refused,
    fields: FIELDS.filter((field) => !unused.includes(field)),
    required: rules.flatMap(({ then }) => then.required ?? []),
  };
}

export function FaultsPanel() {
  const { say, faultKind } = useSpeech();
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
                <strong>{faultKind(fault.kind, "").name}</strong> {say("onPlace")} <strong>{fault.on}</strong>{" "}
                {whenOf(fault)}
                <span class="muted">
                  {" "}
                  {fault.seen === 0 ? say("notStruck") : say("struck", { struck: fault.struck, seen: fault.seen })}
                </span>
              </span>
              <button
                type="button"
                onClick={() => act("DELETE", `/faults/${fault.id}`)}
                aria-label={`${say("takeAway")}: ${faultKind(fault.kind, "").name}`}
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

function whenOf({ nth, probability, duration, upTo, statusWord, bit }: SetFault): string {
  const range = duration === undefined ? "" : upTo === undefined ? duration : `${duration}–${upTo}`;
  return [
    statusWord,
    bit !== undefined && `bit ${bit}`,
    range,
    nth && `#${nth}`,
    probability !== undefined && `p=${probability}`,
  ]
    .filter(Boolean)
    .join(" ");
}

function NewFault() {
  const { say, faultKind } = useSpeech();
  const { url, act } = useControls();
  const description = useTold<Description>(`${url}/openapi.json`);
  const [fault, setFault] = useState<Readonly<Record<string, string>>>({ on: "sign", kind: "removedAfter" });
  const schema = description?.paths["/control/faults"].post.requestBody.content["application/json"]?.schema;
  if (!schema) return null;
  const { on, kind } = schema.properties;
  const chosen = fault.kind ?? "";
  const { refused, fields, required } = rulesOf(chosen, schema);
  const set = (name: string) => (event: { currentTarget: { value: string } }) =>
    setFault({ ...fault, [name]: event.currentTarget.value });
  const places = namesOf(on).filter((name) => !refused.includes(name));
  const place = places.includes(fault.on ?? "") ? (fault.on ?? "") : (places[0] ?? "");
  const add = (event: Event) => {
    event.preventDefault();
    const asked = ["nth", "probability", ...fields];
    const said = (names: readonly string[]) => names.filter((name) => asked.includes(name) && fault[name]);
    act("POST", "/faults", {
      ...{ on: place, kind: chosen },
      ...Object.fromEntries(said(["nth", "probability", "bit"]).map((name) => [name, Number(fault[name])])),
      ...Object.fromEntries(said(DURATIONS).map((name) => [name, fault[name]])),
      ...(fields.includes("statusWord") ? { statusWord: (fault.statusWord ?? "").toUpperCase() } : {}),
    });
  };
  return (
    <form class="new" onSubmit={add}>
      <label>
        {say("what")}
        <select value={chosen} onChange={set("kind")}>
          {kind.enum.map((name) => (
            <option key={name} value={name}>
              {faultKind(name, "").name}
            </option>
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
      <p class="muted wide">{faultKind(chosen, meaningOf(kind.description, chosen).replaceAll("`", "")).meaning}</p>
      {fields.map((name) => (
        <label key={name}>
          {name}
          <input
            value={fault[name] ?? ""}
            placeholder={DURATIONS.includes(name) ? "40s" : undefined}
            onInput={set(name)}
            required={required.includes(name)}
          />
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

/** `kind: meaning; kind: meaning` is how the description says it. */
function meaningOf(description: string, kind: string): string {
  const [, after = ""] = `; ${description}`.split(`; ${kind}: `);
  return after.split(/; (?=\w+: )/)[0] ?? "";
}
