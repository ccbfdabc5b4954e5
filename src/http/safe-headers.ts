/** Headers that every answer has, whoever gives it: a browser makes nothing of an answer but what it says it is. */
export const SAFE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // Pages say what they load in a policy of their own; everything else loads nothing and is framed by nobody.
  "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;
