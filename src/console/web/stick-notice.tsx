/** Asks whether to carry the sales to a stick that was just put in. Nothing is copied before a person presses a button. */
import { useState } from "preact/hooks";
import type { Sticks } from "../../authority/stick-files.js";
import { useLive } from "./api.js";
import { useSpeech } from "./texts.js";

/**
 * Returns the place of the first stick that was put in since the service started; the place is undefined without a
 * stick.
 */
function useSticks() {
  const { value } = useLive<Sticks>("/console/sticks");
  return { place: value?.places[0], problem: value?.problem };
}

interface StickNoticeProps {
  /** Copies the sales to the stick; undefined if this browser cannot write to a stick, or if there is no card. */
  readonly carry: (() => void) | undefined;
  readonly busy: boolean;
}

/** The notice on the page Audit, with the button that copies the sales. */
export function StickNotice({ carry, busy }: StickNoticeProps) {
  const { say } = useSpeech();
  const { place, problem } = useSticks();
  if (problem) return <p class="muted">{say("stickUnseen", { reason: problem })}</p>;
  if (place === undefined) return null;
  return (
    <div class="notice care" role="status">
      <p>{say("stickNoticed", { place })}</p>
      {carry && (
        <button type="button" class="main" disabled={busy} onClick={carry}>
          {say("exportSales")}
        </button>
      )}
    </div>
  );
}

/** The question on every other page. It links to the page Audit, which writes the sales to the stick. */
export function StickQuestion() {
  const { say } = useSpeech();
  const { place } = useSticks();
  const [refused, setRefused] = useState<string>();
  if (place === undefined || place === refused) return null;
  return (
    <div class="notice care" role="status">
      <p>{say("stickNoticed", { place })}</p>
      <div class="row">
        <a href="#/audit">{say("exportSales")}</a>
        <button type="button" onClick={() => setRefused(place)}>
          {say("notNow")}
        </button>
      </div>
    </div>
  );
}
