/** The pictures of README and docs, by the view, the device and the theme that they show. */
export const webPictures = {
  "sessions-desk-dark": "web-sessions",
  "session-waiting-desk-dark": "web-session",
  "session-start-desk-light": "web-timeline",
  "palette-desk-light": "web-palette",
  "inbox-phone-light": "web-inbox",
  "session-changes-phone-dark": "web-changes",
} as const;
