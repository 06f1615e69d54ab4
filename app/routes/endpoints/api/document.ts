import { ownTable } from "./tables.ts";

const { loader, action } = ownTable;

export { action, loader };
