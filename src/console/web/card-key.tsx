/**
 * Panel to enter the PIN of the key in the card, which is for the tax authority. The page sends the PIN and does not
 * keep it.
 */
import { useState } from "preact/hooks";
import type { CardKeyRecord, KeyPinRecord } from "../records/audits.js";
import { call } from "./api.js";
import { permitted } from "./permitted.js";
import { PinField } from "./pin-field.js";
import { type TextKey, useSpeech } from "./texts.js";
import { Panel, Problem, useAction } from "./ui.js";

const KEY_TEXTS = {
  "no-key": "keyUnusable",
  "pin-needed": "keyNeedsPin",
  "attempt-missing": "keyNeedsPin",
  locked: "keyPinLocked",
  ready: "keyReady",
} as const satisfies Record<CardKeyRecord["state"], TextKey>;

interface CardKeyPanelProps {
  readonly cardKey: CardKeyRecord;
  /**
   * Whether a person must also enter the card's PIN. A few wrong PINs lock the key permanently, so no other program may
   * try PINs.
   */
  readonly asksPin: boolean;
  readonly changed: () => void;
}

const ANSWERS = {
  "wrong-pin": "keyPinWrong",
  locked: "keyPinLocked",
  "not-sent": "keyPinNotSent",
  unknown: "keyPinUnknown",
} as const satisfies Record<Exclude<KeyPinRecord["kind"], "verified">, TextKey>;

export function CardKeyPanel({ cardKey, asksPin, changed }: CardKeyPanelProps) {
  const speech = useSpeech();
  const { say } = speech;
  const [keyPin, setKeyPin] = useState("");
  const [pin, setPin] = useState("");
  const { busy, problem, run } = useAction(changed);
  const { state, attemptsLeft, triesCardPin } = cardKey;
  if (state === "no-key") return null;
  const send = (entered: { keyPin: string } | { cardPin: true }) => {
    const body = { ...entered, ...(asksPin ? { pin } : {}) };
    setKeyPin("");
    setPin("");
    run(async () => {
      const { kind } = await permitted(speech, () => call<KeyPinRecord>("/console/pki-pin", { method: "POST", body }));
      if (kind !== "verified") throw new Error(say(ANSWERS[kind]));
    });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    send({ keyPin });
  };
  return (
    <Panel title={say("keyInCard")}>
      <p>{say(KEY_TEXTS[state])}</p>
      {(state === "pin-needed" || state === "attempt-missing") && (
        <form class="pin" onSubmit={submit}>
          {asksPin && (
            <>
              <label for="key-card-pin">{say("settingsPin")}</label>
              <PinField id="key-card-pin" value={pin} change={setPin} />
            </>
          )}
          <label for="key-pin">{say("keyPin")}</label>
          <div class="row">
            <input
              id="key-pin"
              type="password"
              inputMode="numeric"
              autocomplete="off"
              pattern="[0-9]+"
              required
              value={keyPin}
              onInput={(event) => setKeyPin(event.currentTarget.value)}
            />
            <button type="submit" class="main" disabled={busy}>
              {say("enterPin")}
            </button>
            {triesCardPin && (
              <button type="button" disabled={busy || (asksPin && pin === "")} onClick={() => send({ cardPin: true })}>
                {say("keyTryCardPin")}
              </button>
            )}
          </div>
          {attemptsLeft !== null && <p class="tries">{say("triesLeft", { n: attemptsLeft })}</p>}
        </form>
      )}
      <Problem text={problem} />
    </Panel>
  );
}
