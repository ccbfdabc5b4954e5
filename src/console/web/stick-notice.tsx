/** Notices a stick that is put in while the page is open, and asks whether to carry the sales to it. It does nothing by itself. */
import { useEffect, useState } from "preact/hooks";
import type { Sticks } from "../../authority/stick-files.js";
import { call } from "./api.js";
import { useSpeech } from "./texts.js";

/** ms between two looks. */
const PAUSE = 2_000;

interface StickNoticeProps {
  /** Undefined if this browser cannot write to a stick, or there is no card. */
  readonly carry: (() => void) | undefined;
  readonly busy: boolean;
}

export function StickNotice({ carry, busy }: StickNoticeProps) {
  const { say } = useSpeech();
  const [sticks, setSticks] = useState<Sticks>();
  const [first, setFirst] = useState<readonly string[]>();
  useEffect(() => {
    const look = () =>
      call<Sticks>("/console/sticks").then(
        (now) => {
          setSticks(now);
          // A stick that was pulled out is new when it comes again.
          setFirst((before) => before?.filter((place) => now.places.includes(place)) ?? now.places);
        },
        () => undefined,
      );
    void look();
    const timer = setInterval(() => void look(), PAUSE);
    return () => clearInterval(timer);
  }, []);
  const place = sticks?.places.find((one) => first !== undefined && !first.includes(one));
  if (sticks?.problem) return <p class="muted">{say("stickUnseen", { reason: sticks.problem })}</p>;
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
