import { type ParseArgsConfig, parseArgs } from "node:util";

/** Returns the options of an operator's command. Ends the command with its usage if one is unknown or has no value. */
export function optionsOf<T extends ParseArgsConfig>(usage: string, config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}
