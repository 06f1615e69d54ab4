import type { ShortcutGroup } from "#app/components/ui/keys/shortcuts-dialog.tsx";

/** The keyboard shortcuts that the help lists. */
export const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    title: "Everywhere",
    shortcuts: [
      { single: ["?"], does: "Show this list" },
      { keys: ["Ctrl K", "⌘ K"], does: "Go to a screen, group, camera, user or plate" },
      { keys: ["Esc"], does: "Close dialog or panel" },
    ],
  },
  {
    title: "Search",
    shortcuts: [
      { single: ["/"], does: "Go to the plate field" },
      { keys: ["Enter"], does: "Search, from any field" },
    ],
  },
  {
    title: "Results",
    shortcuts: [
      { keys: ["j", "↓"], does: "Next read" },
      { keys: ["k", "↑"], does: "Previous read" },
      { keys: ["Enter"], does: "Open the read" },
      { keys: ["Space"], does: "Select or clear the read" },
    ],
  },
  {
    title: "Review",
    shortcuts: [
      { single: ["j"], keys: ["→"], does: "Next finding" },
      { single: ["k"], keys: ["←"], does: "Previous finding" },
    ],
  },
  {
    title: "Alert history, within the table",
    shortcuts: [
      { keys: ["j", "↓"], does: "Next hit" },
      { keys: ["k", "↑"], does: "Previous hit" },
      { keys: ["Enter"], does: "Open the hit" },
    ],
  },
];
