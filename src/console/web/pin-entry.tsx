/** Form to enter the card's PIN. The page sends the PIN and does not keep it. */
import { useRef, useState } from "preact/hooks";
import { call, Refused } from "./api.js";
import { PinField } from "./pin-field.js";
import { type Speech, useSpeech } from "./texts.js";
import { Problem, useAction } from "./ui.js";

interface PinEntryProps {
  readonly pinTriesLeft: number | null;
  readonly entered: () => void;
  /** Class of the button. */
  readonly filled?: string;
}

/** Texts for the codes that `POST /api/v3/pin` answers. */
const SAYINGS = {
  "2100": "pinWrong",
  "2110": "pinLocked",
  // The service also answers 2220 while it waits after wrong PINs.
  "2220": "pinNotTaken",
} as const;
/** Other codes that `POST /api/v3/pin` answers. They have the text of a finding. */
const CARD_PROBLEMS = { "1300": "noCard", "2230": "unsupported" } as const;

type Answered = keyof typeof SAYINGS | keyof typeof CARD_PROBLEMS;

function isAnswered(code: string): code is Answered {
  return code in SAYINGS || code in CARD_PROBLEMS;
}

function answerText({ say, finding }: Speech, code: Answered): string {
  return code in SAYINGS
    ? say(SAYINGS[code as keyof typeof SAYINGS])
    : finding({ key: CARD_PROBLEMS[code as keyof typeof CARD_PROBLEMS], values: {} }).sentence;
}

/** Returns the text for a code of `POST /api/v3/pin` that is not 0100. */
export function pinAnswerText(speech: Speech, code: string): string {
  return answerText(speech, isAnswered(code) ? code : "2220");
}

/** Sends the PIN and returns the code of the answer. The HTTP status is ignored, because it depends on the settings. */
async function codeOf(pin: string): Promise<string> {
  try {
    return await call<string>("/api/v3/pin", { method: "POST", body: { pin } });
  } catch (error) {
    if (error instanceof Refused && typeof error.body === "string") return error.body;
    throw error;
  }
}

export function PinEntry({ pinTriesLeft, entered, filled = "main" }: PinEntryProps) {
  const speech = useSpeech();
  const { say } = speech;
  const [pin, setPin] = useState("");
  const [notice, setNotice] = useState<Answered>();
  const field = useRef<HTMLInputElement>(null);
  const { busy, problem, run } = useAction(entered);
  const isLast = pinTriesLeft !== null && pinTriesLeft <= 1;
  const tries = pinTriesLeft === null ? "" : isLast ? say("lastTry") : say("triesLeft", { n: pinTriesLeft });
  const send = (event: Event) => {
    event.preventDefault();
    setNotice(undefined);
    setPin("");
    run(async () => {
      const code = await codeOf(pin);
      // Move the focus to the verdict, because the field disappears. Screen readers then read the verdict next.
      if (code === "0100") document.querySelector<HTMLElement>(".verdict")?.focus();
      else {
        setNotice(isAnswered(code) ? code : "2220");
        field.current?.focus();
      }
    });
  };
  return (
    <form class="pin" onSubmit={send}>
      <label for="pin">{say("pin")}</label>
      <div class="row">
        <PinField id="pin" field={field} value={pin} change={setPin} />
        <button type="submit" class={filled} disabled={busy}>
          {say("enterPin")}
        </button>
      </div>
      {pinTriesLeft !== null && notice !== "2100" && <p class={isLast ? "tries last" : "tries"}>{tries}</p>}
      {/* The number of attempts makes each refusal a text of its own, so that a second one is seen and read aloud. */}
      <Problem
        text={notice === "2100" ? `${say("pinWrong")} ${tries}` : notice ? answerText(speech, notice) : problem}
      />
    </form>
  );
}
