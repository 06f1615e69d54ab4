/** A secret of the Worker: whether it is required, its purpose, and how to make one. */
type Secret = { name: string; isRequired: boolean; purpose: string; made: string };

/** Every secret that the Worker reads. docs/operations.md has the commands that make them. */
export const SECRETS: readonly Secret[] = [
  {
    name: "PASSWORD_PEPPER",
    isRequired: true,
    purpose: "keys password hashes and recovery codes; keep a copy elsewhere",
    made: "openssl rand -hex 32",
  },
  {
    name: "SEALING_KEYS",
    isRequired: true,
    purpose: "encrypts vendor secrets, the keys of reads and backups; keep a copy elsewhere",
    made: 'echo "1:$(openssl rand -base64 32)"',
  },
  {
    name: "EXPORT_SIGNING_KEYS",
    isRequired: true,
    purpose: "signs exported PDF and ZIP files",
    made: "a P-256 key as in docs/operations.md",
  },
  {
    name: "VAPID_KEYS",
    isRequired: false,
    purpose: "pushes to browsers (with VAPID_SUBJECT); off without it",
    made: "a P-256 key as in docs/operations.md",
  },
  {
    name: "APNS_KEY",
    isRequired: false,
    purpose: "pushes to iPhones (with APNS_TOPIC); off without it",
    made: "the .p8 file of the Apple developer account",
  },
  {
    name: "APNS_KEY_ID",
    isRequired: false,
    purpose: "the id of APNS_KEY",
    made: "shown in the Apple developer account",
  },
  {
    name: "APNS_TEAM_ID",
    isRequired: false,
    purpose: "the team of APNS_KEY",
    made: "shown in the Apple developer account",
  },
  {
    name: "SCANNER_TOKEN",
    isRequired: false,
    purpose: "the bearer token of the virus scanner at SCANNER_URL",
    made: "issued by the scanner",
  },
  {
    name: "RESTORE_TOKEN",
    isRequired: false,
    purpose: "set only while a backup is restored, which closes Odin to everyone",
    made: "openssl rand -hex 32",
  },
];
