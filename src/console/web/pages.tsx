/** The pages that every edition of the console has. */
import type { ConsolePage } from "./app.js";
import { AuditPage } from "./audit.js";
import { DayReportPage } from "./day-report.js";
import { DoctorPage } from "./doctor.js";
import { HelpPage } from "./help.js";
import { ReceiptsPage } from "./receipts.js";
import { RecordedChanges } from "./recorded-changes.js";
import { SettingsPage } from "./settings.js";
import { TillPage } from "./till.js";
import { ServiceTraffic } from "./traffic.js";

const always = () => true;

export const TILL: ConsolePage = { name: "till", title: ({ say }) => say("till"), isShown: always, View: TillPage };

export const RECEIPTS: ConsolePage = {
  name: "receipts",
  title: ({ say }) => say("receipts"),
  isShown: always,
  View: ({ rest, info, opened }) => <ReceiptsPage id={rest} info={info} opened={opened} />,
};

export const DAY_REPORT: ConsolePage = {
  name: "report",
  title: ({ say }) => say("report"),
  isShown: always,
  View: DayReportPage,
};

export const AUDIT: ConsolePage = { name: "audit", title: ({ say }) => say("audit"), isShown: always, View: AuditPage };

/**
 * The page Traffic. It is shown with a real card while the setting trafficMinutes is above 0, because the service keeps
 * requests only then.
 */
export const TRAFFIC: ConsolePage = {
  name: "traffic",
  title: ({ say }) => say("traffic"),
  isShown: (info) => info?.traffic === true,
  View: ({ rest, times }) => <ServiceTraffic key={times} id={rest} />,
};

/** The page Doctor. The pages Till and Settings link to it. */
export const DOCTOR: ConsolePage = {
  name: "doctor",
  title: ({ say }) => say("doctor"),
  isShown: always,
  isLinked: false,
  View: ({ info, opened }) => <DoctorPage info={info} opened={opened} />,
};

/** The page Help. Each code that the console shows links to it. */
export const HELP: ConsolePage = {
  name: "help",
  title: ({ say }) => say("help"),
  isShown: always,
  isLinked: false,
  View: ({ rest }) => <HelpPage code={rest} />,
};

export const SETTINGS: ConsolePage = {
  name: "settings",
  title: ({ say }) => say("settings"),
  isShown: always,
  View: ({ info, opened }) => (
    <>
      <SettingsPage info={info} opened={opened} />
      {info.trusted && <RecordedChanges />}
    </>
  ),
};
