/** Says in a sentence whether the till can sell, what to do, and which code a POS gets. */

import type { CardReason } from "../../secure-element/card-reason.js";
import type { TillRecord } from "../records/till.js";
import { alsoSaid, namedIn, type Verdict } from "../verdict.js";
import { useSpeech } from "./texts.js";

const SIGNS = { good: "M7 17l6 6 12-13", care: "M16 8v10M16 23v1", bad: "M9 9l14 14M23 9L9 23" } as const;

interface SentenceProps {
  readonly verdict: Verdict;
  readonly till: TillRecord;
  /** Why there is no usable card. */
  readonly why?: CardReason;
}

export function Sentence({ verdict, till, why }: SentenceProps) {
  const { mood, sentence, advice, code } = verdict;
  const { say, cardReason } = useSpeech();
  const named = namedIn(till);
  return (
    <>
      {/* For people who cannot tell the colours apart. */}
      <svg class="sign" viewBox="0 0 32 32" aria-hidden="true">
        <path d={SIGNS[mood]} />
      </svg>
      <div role="status" class="sentence">
        <p class="verdict" tabIndex={-1}>
          {say(sentence, named)}
        </p>
        <p>
          {say(advice, named)} {code !== "" && <span class="code">{say("codeForTills", { code })}</span>}
        </p>
        {alsoSaid(verdict, till).map((key) => (
          <p key={key}>{say(key, named)}</p>
        ))}
        {why && <p class="reason">{cardReason(why)}</p>}
      </div>
    </>
  );
}
