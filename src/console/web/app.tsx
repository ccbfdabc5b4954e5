/** The console: one page at a time, chosen by the part of the address after #. */
import { type ComponentType, render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { InfoRecord } from "../records/info.js";
import { useConnection, useLive } from "./api.js";
import seal from "./seal.svg";
import { StickQuestion } from "./stick-notice.js";
import "virtual:colours.css";
import "./print.css";
import "./style.css";
import {
  firstLanguage,
  keepLanguage,
  LANGUAGES,
  type Language,
  type Speech,
  SpeechContext,
  speechIn,
  useSpeech,
} from "./texts.js";
import { Waiting } from "./ui.js";

export interface ConsolePage {
  /** The page's name in the address, after `#/`. */
  readonly name: string;
  /** The page's title in the navigation and in the tab. */
  readonly title: (speech: Speech) => string;
  /** @param info undefined until the service has answered */
  readonly isShown: (info: InfoRecord | undefined) => boolean;
  /** False if the navigation has no link to the page, because only other pages link to it. */
  readonly isLinked?: false;
  readonly View: ComponentType<PageProps>;
}

export interface PageProps {
  /** Part of the address after the page's name, such as the id of a receipt. */
  readonly rest: string;
  readonly info: InfoRecord;
  /** Reads `info` again. A page calls it when the caller may see more than before. */
  readonly opened: () => void;
  /** How often the connection to the service was restored. */
  readonly times: number;
}

interface PagePlace {
  readonly name: string;
  readonly rest: string;
}

function placeNow(): PagePlace {
  const [, name = "", rest = ""] = /^#\/?([^/]*)\/?(.*)$/.exec(location.hash) ?? [];
  return { name, rest };
}

function usePlace(): PagePlace {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const moved = () => setPlace(placeNow());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return place;
}

/** Moves the focus to the page's search when a person presses `/`, unless the person is typing or a dialog is open. */
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

function App({ pages }: { readonly pages: readonly ConsolePage[] }) {
  const [language, setLanguage] = useState(firstLanguage);
  const { name, rest } = usePlace();
  const { value: info, error, refresh } = useLive<InfoRecord>("/console/info");
  const { connected, times } = useConnection();
  const timeZone = info?.timeZone ?? null;
  // Round to minutes, so that the time that an answer takes makes no difference.
  const minutesAhead = info ? Math.round((Date.parse(info.now) - Date.now()) / MINUTE_MS) : 0;
  const speech = useMemo(
    () => speechIn(language, timeZone, minutesAhead * MINUTE_MS),
    [language, timeZone, minutesAhead],
  );
  const { say } = speech;
  const shown = pages.filter(({ isShown }) => isShown(info));
  const named = (info ? shown : pages).find((one) => one.name === name);
  const page = named ?? shown[0];
  const title = page?.title(speech);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  useEffect(() => {
    addEventListener("keydown", slashSearches);
    return () => removeEventListener("keydown", slashSearches);
  }, []);
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · tillseal`;
  }, [title]);
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
        <Pages pages={shown.filter(({ isLinked }) => isLinked !== false)} current={page} />
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
        {/* The page Till says it in its first sentence. */}
        {connected || page?.name === "till" ? "" : say("notConnected")}
      </p>
      <main id="main" tabIndex={-1}>
        {info && page?.name !== "audit" && <StickQuestion />}
        {info && !named && name !== "" && <p class="notice care">{say("noPage", { name })}</p>}
        {page && info ? (
          <page.View rest={rest} info={info} opened={refresh} times={times} />
        ) : (
          <Waiting title={title ?? ""} problem={error && say("notReached")} />
        )}
      </main>
    </SpeechContext.Provider>
  );
}

interface PagesProps {
  readonly pages: readonly ConsolePage[];
  readonly current: ConsolePage | undefined;
}

function Pages({ pages, current }: PagesProps) {
  const speech = useSpeech();
  return (
    <nav aria-label={speech.say("pages")}>
      {pages.map((page) => (
        <a key={page.name} href={`#/${page.name}`} aria-current={page === current ? "page" : undefined}>
          {page.title(speech)}
        </a>
      ))}
    </nav>
  );
}

/** @param pages in the order of the navigation; the first one is shown for an unknown address */
export function showConsole(pages: readonly ConsolePage[]): void {
  const root = document.getElementById("console");
  if (root) render(<App pages={pages} />, root);
}
