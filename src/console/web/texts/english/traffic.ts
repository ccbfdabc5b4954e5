/** The page Traffic. */
export const TRAFFIC = {
  clearTraffic: "Clear list",
  noTraffic: "No requests yet. Point your POS at this service.",
  searchTraffic: "path, method, code, RequestId",
  failedOnly: "Only failures",
  older: "Older",
  chooseTraffic: "Choose a request to see it.",
  underWay: "under way",
  dropped: "dropped",
  headers: "Headers",
  copyCurl: "Copy as curl",
  apdus: "Commands to the card",
  noApdus: "Nothing.",
  bytes: "Bytes",
} as const;
