/** Panels that change the card: reader, PIN, amounts and counters, signing. */
import { useState } from "preact/hooks";
import type { CardPatch, CardRecord } from "../../emulator/world/card-types.js";
import type { WorldStep } from "../../emulator/world/step-types.js";
import { Panel } from "../../src/console/web/ui.js";
import { AUDIT_DUE_PERCENT } from "../../src/fiscal/limit.js";
import { useControls } from "./control.js";
import { type EmulatorTextKey, useEmulatorSpeech } from "./texts.js";

/** @param props.about what an entry's button acts on, because every entry has the same button */
export function Button({
  text,
  about,
  off = false,
  act,
}: {
  readonly text: string;
  readonly about?: string;
  readonly off?: boolean;
  readonly act: () => void;
}) {
  return (
    <button type="button" disabled={off} aria-label={about && `${text}: ${about}`} onClick={act}>
      {text}
    </button>
  );
}

export function Act({ text, step, off = false }: { text: EmulatorTextKey; step: WorldStep; off?: boolean }) {
  const { say } = useEmulatorSpeech();
  const { doStep } = useControls();
  return <Button text={say(text)} off={off} act={() => doStep(step)} />;
}

function PatchCard({ patch, ...rest }: { text: EmulatorTextKey; patch: CardPatch; off?: boolean }) {
  return <Act step={{ card: { patch } }} {...rest} />;
}

export function ReaderPanel({ card: { inserted, reader, cards, name } }: { readonly card: CardRecord }) {
  const { say } = useEmulatorSpeech();
  const { doStep } = useControls();
  const others = cards.filter((card) => card !== name);
  return (
    <Panel title={say("reader")}>
      <div class="row">
        <Act text="insert" step={{ card: "insert" }} off={inserted || reader === "unplugged"} />
        <Act text="remove" step={{ card: "remove" }} off={!inserted} />
        <Act text="resetCard" step={{ card: "reset" }} off={!inserted} />
      </div>
      <div class="row">
        <Act text="unplug" step={{ card: "unplug" }} off={reader === "unplugged"} />
        <Act text="plug" step={{ card: "plug" }} off={reader === "plugged"} />
      </div>
      {others.length > 0 && (
        <div class="row">
          {others.map((other) => (
            <Button key={other} text={say("swapFor", { name: other })} act={() => doStep({ card: { swap: other } })} />
          ))}
        </div>
      )}
    </Panel>
  );
}

export function PinPanel({ card: { pinTriesLeft } }: { readonly card: CardRecord }) {
  const { say } = useEmulatorSpeech();
  return (
    <Panel title={say("pin")}>
      <p>{say("triesLeft", { n: pinTriesLeft })}</p>
      <div class="row">
        <PatchCard text="oneTryLess" patch={{ pinTriesLeft: pinTriesLeft - 1 }} off={pinTriesLeft === 0} />
        <PatchCard text="oneTry" patch={{ pinTriesLeft: 1 }} />
        <PatchCard text="lock" patch={{ locked: true }} off={pinTriesLeft === 0} />
        <PatchCard text="unlock" patch={{ locked: false }} off={pinTriesLeft > 0} />
      </div>
    </Panel>
  );
}

export function AmountPanel({ card }: { readonly card: CardRecord }) {
  const { say } = useEmulatorSpeech();
  const { doStep } = useControls();
  const patchCard = (patch: CardPatch) => doStep({ card: { patch } });
  const { sum, limit, counters } = card;
  return (
    <Panel title={say("audit")}>
      <Value key={`sum ${sum}`} name={say("sum")} value={sum} set={(value) => patchCard({ sum: value })} />
      <Value key={`limit ${limit}`} name={say("limit")} value={limit} set={(value) => patchCard({ limit: value })} />
      <div class="row">
        <Button
          text={say("auditSoonAct", { percent: AUDIT_DUE_PERCENT })}
          act={() => patchCard({ sum: shareOf(limit, AUDIT_DUE_PERCENT, 100) })}
        />
        <PatchCard text="limitReachedAct" patch={{ sum: limit }} />
      </div>
      <div class="row">
        <Act text="auditAct" step={{ authority: "audit" }} />
        <Act text="auditStart" step={{ authority: "start-audit" }} />
        <Act text="auditEnd" step={{ authority: "end-audit" }} />
      </div>
      <details>
        <summary>{say("counters")}</summary>
        <div class="values">
          {Object.entries(counters).map(([name, value]) => (
            <Value
              key={`${name} ${value}`}
              name={name === "total" ? say("counter") : name}
              value={String(value)}
              set={(changed) => patchCard({ counters: { [name]: Number(changed) } })}
            />
          ))}
        </div>
      </details>
    </Panel>
  );
}

/**
 * Switches signing on or off. It changes the card at once, or through an authentic directive of the authority that the
 * service passes to the card.
 */
export function SigningPanel({ card: { disabled } }: { readonly card: CardRecord }) {
  const { say } = useEmulatorSpeech();
  return (
    <Panel title={say("signing")}>
      <div class="row">
        <PatchCard text="switchOff" patch={{ disabled: true }} off={disabled} />
        <PatchCard text="switchOn" patch={{ disabled: false }} off={!disabled} />
      </div>
      <h3>{say("directive")}</h3>
      <div class="row">
        <Act text="directiveOff" step={{ authority: "disable" }} />
        <Act text="directiveOn" step={{ authority: "enable" }} />
      </div>
    </Panel>
  );
}

function Value({
  name,
  value,
  set,
}: {
  readonly name: string;
  readonly value: string;
  readonly set: (value: string) => void;
}) {
  const { say } = useEmulatorSpeech();
  const [typed, setTyped] = useState(value);
  return (
    <form
      class="value"
      onSubmit={(event) => {
        event.preventDefault();
        set(typed.trim().replace(",", "."));
      }}
    >
      <label>
        {name}
        <input inputMode="decimal" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={typed.trim() === value} aria-label={`${say("set")}: ${name}`}>
        {say("set")}
      </button>
    </form>
  );
}

/** Computes a share of an amount exactly, in the four decimals of a card. */
function shareOf(decimal: string, numerator: number, denominator: number): string {
  const [whole = "0", fraction = ""] = decimal.split(".");
  const scaled = BigInt(whole + fraction.padEnd(4, "0"));
  // We round up, so that the sum reaches the share.
  const share = (scaled * BigInt(numerator) + BigInt(denominator - 1)) / BigInt(denominator);
  const digits = share.toString().padStart(5, "0");
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
