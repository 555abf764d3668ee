// The lines between memconf and your handler of Claude's memory tool.
//
// As it stands, this drives the memory tool of the official TypeScript SDK (`npm install @anthropic-ai/sdk tsx`).
// Make it drive yours in the two lines marked CHANGE, then:
//
//     memconf run -- node_modules/.bin/tsx memconf_adapter.ts
//
// memconf writes one JSON object a line to stdin and reads one a line from stdout. stderr is yours, for logs.

import { join } from 'node:path';
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';

// stdout belongs to the protocol: from here on console.log and its like go to stderr.
const send = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

// Your handler, with its store in the folder `root`, which is empty before each script, or, after a restart, as your
// handler left it.
async function openStore(root: string) {
  const handler = await BetaLocalFilesystemMemoryTool.init(root); // CHANGE: make your handler, ...
  const folder = join(root, 'memories'); // ... and name the folder that /memories maps to (undefined: not a folder)
  return { handler, folder };
}

// Carries out one command, such as { command: 'view', path: '/memories' }, and gives what Claude gets to read: a
// string, or a list of content blocks. Throws where your application would send Claude an error.
async function handle({ handler }: Store, command: any) {
  return await betaMemoryTool(handler).run(command); // CHANGE: call your handler
}

// What your application sends Claude when the handler throws. This is what the SDK's tool runner sends.
function errorText(error: unknown) {
  return error instanceof ToolError ? error.content : `Error: ${error instanceof Error ? error.message : error}`;
}

// Below here nothing needs to change: memconf's protocol, version 1.

type Store = Awaited<ReturnType<typeof openStore>>;
let store: Store;

async function answer(message: any) {
  if (message.type === 'reset') { // the next script: begin anew, with the empty folder `root`
    store = await openStore(message.root);
    return { type: 'ready', name: store.handler.constructor.name, store: store.folder };
  }
  if (message.type !== 'tool_use') return { type: 'error', message: `not known: ${message.type}` };
  const result = { type: 'tool_result', tool_use_id: message.id };
  try {
    const content: unknown = await handle(store, message.input);
    if (typeof content === 'string' || Array.isArray(content)) return { ...result, content };
    throw new TypeError(`the handler gave ${typeof content}, not a string or a list of content blocks`);
  } catch (error) {
    return { ...result, content: errorText(error), is_error: true };
  }
}

async function main() {
  const root = process.env.MEMCONF_ROOT; // set where memconf starts a process for one store, as it does for a restart
  if (root) store = await openStore(root);
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    const lines = (text + chunk).split('\n'); // not node:readline, which also splits at U+2028
    text = lines.pop()!;
    for (const line of lines) send(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
