/** Whether the till can sell, in a sentence, with what to do and what tills are told. */

import type { Verdict } from "../verdict.js";
import { useSpeech } from "./texts.js";

const SIGNS = { good: "M7 17l6 6 12-13", care: "M16 8v10M16 23v1", bad: "M9 9l14 14M23 9L9 23" } as const;

interface SentenceProps {
  readonly verdict: Verdict;
  /** Signatures that were lost. */
  readonly lost: number;
  /** Whether a shop runs with a test card. */
  readonly testCard: boolean;
  /** Where receipts are stored, where that fails. */
  readonly folder?: string;
  /** What the card, or its absence, says of itself. */
  readonly reason?: string;
}

export function Sentence({ verdict, lost, testCard, folder = "", reason = "" }: SentenceProps) {
  const { mood, sentence, advice, code } = verdict;
  const { say } = useSpeech();
  return (
    <>
      {/* Also for those who cannot tell the colours apart. */}
      <svg class="sign" viewBox="0 0 32 32" aria-hidden="true">
        <path d={SIGNS[mood]} />
      </svg>
      <div role="status" class="sentence">
        <p class="verdict" tabIndex={-1}>
          {say(sentence, { lost })}
        </p>
        <p>
          {say(advice, { lost, folder })} {code !== "" && <span class="code">{say("codeForTills", { code })}</span>}
        </p>
        {testCard && sentence !== "testCard" && <p>{say("testCardToo")}</p>}
        {lost > 0 && sentence !== "signatureLost" && <p>{say("signatureLostToo", { lost })}</p>}
        {reason !== "" && (
          <p class="reason" lang="en">
            {reason}
          </p>
        )}
      </div>
    </>
  );
}
