/** The PIN of the card. It is sent and forgotten. */
import { useState } from "preact/hooks";
import { call, Refused } from "./api.js";
import { useSpeech } from "./texts.js";
import { Problem, useDeed } from "./ui.js";

interface PinEntryProps {
  readonly triesLeft: number | null;
  readonly entered: () => void;
}

/** The answer of pin: a code in JSON. */
const SAYINGS = { "2100": "pinWrong", "2110": "pinLocked", "1300": "noCard", "2220": "unreachable" } as const;

/** The answer is a code, whatever the status that the settings give a wrong PIN. */
async function codeOf(pin: string): Promise<string> {
  try {
    return await call<string>("/api/v3/pin", { method: "POST", body: { pin } });
  } catch (error) {
    if (error instanceof Refused && typeof error.body === "string") return error.body;
    throw error;
  }
}

export function PinEntry({ triesLeft, entered }: PinEntryProps) {
  const { say } = useSpeech();
  const [pin, setPin] = useState("");
  const [said, setSaid] = useState<keyof typeof SAYINGS>();
  const { busy, problem, run } = useDeed(entered);
  const send = (event: Event) => {
    event.preventDefault();
    setSaid(undefined);
    setPin("");
    run(async () => {
      const code = await codeOf(pin);
      if (code in SAYINGS) setSaid(code as keyof typeof SAYINGS);
      // The field goes; what it has done is heard next.
      else document.querySelector<HTMLElement>(".verdict")?.focus();
    });
  };
  return (
    <form class="pin" onSubmit={send}>
      <label for="pin">{say("pin")}</label>
      <div class="row">
        <input
          id="pin"
          type="password"
          inputMode="numeric"
          autocomplete="off"
          pattern="[0-9]+"
          required
          value={pin}
          title={say("pinForm")}
          onInput={(event) => setPin(event.currentTarget.value)}
        />
        <button type="submit" class="main" disabled={busy}>
          {say("enterPin")}
        </button>
      </div>
      {triesLeft !== null && (
        <p class={triesLeft <= 1 ? "tries last" : "tries"}>{say("triesLeft", { n: triesLeft })}</p>
      )}
      <Problem text={said ? say(SAYINGS[said]) : problem} />
    </form>
  );
}
