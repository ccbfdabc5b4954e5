/** The page Card: the state of the till, and everything that a person can do to the emulated card and its surroundings. */
import { useState } from "preact/hooks";
import type { CardRecord } from "../../emulator/world/card-types.js";
import type { TillRecord } from "../../src/console/records/till.js";
import { useConnection, useLive } from "../../src/console/web/api.js";
import { Ask, type Question } from "../../src/console/web/ask.js";
import { PinEntry } from "../../src/console/web/pin-entry.js";
import { Sentence, verdictIn } from "../../src/console/web/sentence.js";
import { useSpeech } from "../../src/console/web/texts.js";
import { wantsPin } from "../../src/console/web/till.js";
import { Facts, Problem, Waiting } from "../../src/console/web/ui.js";
import type { Finding } from "../../src/state/finding.js";
import { AmountPanel, PinPanel, ReaderPanel, SigningPanel } from "./card-actions.js";
import { ClockPanel } from "./clock-panel.js";
import { ControlsContext, useNewControls } from "./control.js";
import { FaultsPanel } from "./faults-panel.js";
import { ScenariosPanel } from "./scenarios-panel.js";
import { useEmulatorSpeech } from "./texts.js";
import { WorldPanel } from "./world-panel.js";

export function CardPage({ control }: { readonly control: string }) {
  const { say } = useEmulatorSpeech();
  const { value: card, error, refresh } = useLive<CardRecord>(`${control}/card`);
  const till = useLive<TillRecord>("/console/till");
  const [question, setQuestion] = useState<Question>();
  const controls = useNewControls(control, setQuestion, () => {
    refresh();
    till.refresh();
  });
  if (!card) return <Waiting title={say("card")} problem={error && say("controlNotReached", { url: control })} />;
  return (
    <ControlsContext.Provider value={controls}>
      <h1 class="unseen">{say("card")}</h1>
      {till.value && <Situation card={card} till={till.value} entered={till.refresh} />}
      <div class="floating">
        <Problem text={controls.problem} />
      </div>
      <div class="panels" aria-busy={controls.busy}>
        <ReaderPanel card={card} />
        <PinPanel card={card} />
        <ClockPanel />
        <AmountPanel card={card} />
        <SigningPanel card={card} />
        <FaultsPanel />
        <WorldPanel />
      </div>
      <ScenariosPanel />
      {question && <Ask question={question} closed={() => setQuestion(undefined)} />}
    </ControlsContext.Provider>
  );
}

/**
 * Finding that we add if signing is switched off. The service may not know this yet, because a real card reports it only
 * when the service asks the card to sign.
 */
const DISABLED: Finding = {
  key: "disabled",
  code: "2210",
  severity: "stops",
  affects: "limit",
  action: "ask-authority",
  refusal: "2210",
  values: {},
};

/** Shows whether a POS can sell now, and the state of the card. */
function Situation({ card, till, entered }: { card: CardRecord; till: TillRecord; entered: () => void }) {
  const { say, amount } = useEmulatorSpeech();
  const { connected } = useConnection();
  const { findings } = till;
  const knows = !card.disabled || findings.some(({ severity }) => severity === "stops");
  const seen = knows ? findings : [DISABLED, ...findings];
  const speech = useSpeech();
  const verdict = verdictIn(speech, connected ? seen : undefined);
  const { taxpayer, uid, pinTriesLeft, sum, limit, counters, inserted, reader } = card;
  const where = reader === "unplugged" ? "readerUnplugged" : inserted ? "inReader" : "notInReader";
  return (
    <section class={`till-state ${verdict.mood}`}>
      <Sentence verdict={verdict} />
      {till.card.state === "ready" && wantsPin(findings) && (
        <PinEntry key={uid} pinTriesLeft={till.card.pinTriesLeft} entered={entered} />
      )}
      <Facts
        facts={[
          [say("card"), `${uid} · ${taxpayer.businessName ?? ""}`],
          [say("where"), say(where)],
          [say("tries"), String(pinTriesLeft)],
          [say("audit"), `${amount(sum)} / ${amount(limit)}`],
          [say("counter"), String(counters.total ?? 0)],
        ]}
      />
    </section>
  );
}
