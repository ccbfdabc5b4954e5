/** The console: a page at a time, chosen by what follows # in the address. */
import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { InfoRecord } from "../records.js";
import { controlUrl, useConnection, useLive } from "./api.js";
import { AuditPage } from "./audit.js";
import { CardPage } from "./card.js";
import { DayReportPage } from "./day-report.js";
import { ReceiptsPage } from "./receipts.js";
import { RecordedChanges } from "./recorded-changes.js";
import seal from "./seal.svg";
import { type Changes, SettingsPage } from "./settings.js";
import "./print.css";
import "./style.css";
import { firstLanguage, keepLanguage, LANGUAGES, type Language, SpeechContext, speechIn, useSpeech } from "./texts.js";
import { TillPage } from "./till.js";
import { TrafficPage } from "./traffic.js";

const PAGES = ["till", "receipts", "report", "audit", "traffic", "card", "settings"] as const;
type PageName = (typeof PAGES)[number];
/** They show what only an emulator has; with a card, the setting trafficMinutes brings the first one. */
const EMULATOR_PAGES: readonly PageName[] = ["traffic", "card"];

interface Place {
  readonly page: PageName;
  /** What follows the page, such as a receipt. */
  readonly rest: string;
}

function placeNow(): Place {
  const [, name = "", rest = ""] = /^#\/(\w*)\/?(.*)$/.exec(location.hash) ?? [];
  return { page: PAGES.find((page) => page === name) ?? "till", rest };
}

function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const moved = () => setPlace(placeNow());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return place;
}

/** `/` goes to the page's search, where nothing is being typed or asked. */
function slashSearches(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (key !== "/" || ctrlKey || metaKey || altKey || document.querySelector("dialog[open]")) return;
  if (target instanceof Element && target.closest("input, select, textarea")) return;
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
}

const MINUTE_MS = 60_000;

function App() {
  const [language, setLanguage] = useState(firstLanguage);
  const { page, rest } = usePlace();
  const { value: info, refresh } = useLive<InfoRecord>("/console/info");
  const { connected, times } = useConnection();
  const timeZone = info?.timeZone ?? null;
  // Whole minutes, so that the way of an answer does not count.
  const minutesAhead = info ? Math.round((Date.parse(info.now) - Date.now()) / MINUTE_MS) : 0;
  const speech = useMemo(
    () => speechIn(language, timeZone, minutesAhead * MINUTE_MS),
    [language, timeZone, minutesAhead],
  );
  const { say } = speech;
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  useEffect(() => {
    addEventListener("keydown", slashSearches);
    return () => removeEventListener("keydown", slashSearches);
  }, []);
  useEffect(() => {
    document.title = `${say(page)} · tillseal`;
  }, [page, say]);
  const control = info && controlUrl(info);
  const choose = (chosen: Language) => {
    keepLanguage(chosen);
    setLanguage(chosen);
  };
  return (
    <SpeechContext.Provider value={speech}>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        {say("skip")}
      </button>
      <header>
        <a class="brand" href="#/till">
          <img src={seal} alt="" width="28" height="28" />
          tillseal
        </a>
        <Pages
          current={page}
          names={PAGES.filter(
            (name) => control !== undefined || (name === "traffic" && info?.traffic) || !EMULATOR_PAGES.includes(name),
          )}
        />
        <label class="language">
          <span class="unseen">{say("language")}</span>
          <select value={language} onChange={(event) => choose(event.currentTarget.value as Language)}>
            {Object.entries(LANGUAGES).map(([tag, name]) => (
              <option key={tag} value={tag} lang={tag}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </header>
      <p class={connected ? "connection" : "connection lost"} role="status">
        {connected ? "" : say("notConnected")}
      </p>
      <main id="main" tabIndex={-1}>
        {info && <Page page={page} rest={rest} info={info} opened={refresh} control={control} times={times} />}
      </main>
    </SpeechContext.Provider>
  );
}

function Pages({ current, names }: { readonly current: PageName; readonly names: readonly PageName[] }) {
  const { say } = useSpeech();
  return (
    <nav aria-label={say("pages")}>
      {names.map((name) => (
        <a key={name} href={`#/${name}`} aria-current={name === current ? "page" : undefined}>
          {say(name)}
        </a>
      ))}
    </nav>
  );
}

interface PageProps extends Place {
  readonly info: InfoRecord;
  readonly opened: () => void;
  readonly control: string | undefined;
  /** How often the service was found again. */
  readonly times: number;
}

function Page({ page, rest, info, opened, control, times }: PageProps) {
  // Here, so that a look at another page loses nothing that was typed.
  const [changes, setChanges] = useState<Changes>({});
  if (page === "receipts") return <ReceiptsPage id={rest} info={info} opened={opened} />;
  if (page === "report") return <DayReportPage info={info} opened={opened} />;
  if (page === "audit") return <AuditPage info={info} opened={opened} />;
  if (page === "settings")
    return (
      <>
        <SettingsPage info={info} opened={opened} changes={changes} setChanges={setChanges} />
        {info.trusted && <RecordedChanges />}
      </>
    );
  if (page === "traffic" && (info.traffic || (EMULATOR && control !== undefined)))
    return <TrafficPage key={times} control={control} id={rest} />;
  if (EMULATOR && control !== undefined) {
    if (page === "card") return <CardPage control={control} />;
  }
  return <TillPage info={info} opened={opened} />;
}

const root = document.getElementById("console");
if (root) render(<App />, root);
