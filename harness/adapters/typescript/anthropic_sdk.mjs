// Adapter for npm @anthropic-ai/sdk: BetaLocalFilesystemMemoryTool behind betaMemoryTool, as its users run it.
//
// Speaks memconf's protocol, version 1, with reset. An error goes out as the SDK's own tool runner would send it.
// Runs from 0.79.0 on: what a release lacks is found out by asking for it, never by its version.
// MEMCONF_MODULES names the folder whose node_modules holds the SDK; without it, the adapter's own folder does.

import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

// From here on process.stdout writes to stderr, so that nothing a handler prints can end up between two replies.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
process.stdout.on('error', () => process.exit(1)); // nobody reads the replies any more

const { MEMCONF_MODULES, MEMCONF_ROOT } = process.env;
const require = createRequire(MEMCONF_MODULES ? join(resolve(MEMCONF_MODULES), 'adapter.js') : import.meta.url);
const { BetaLocalFilesystemMemoryTool } = require('@anthropic-ai/sdk/tools/memory/node');
const { betaMemoryTool } = require('@anthropic-ai/sdk/helpers/beta/memory');
const { ToolError } = require('@anthropic-ai/sdk/lib/tools/ToolError');
const { VERSION } = require('@anthropic-ai/sdk/version');
// Before it was a function, these lines stood in the runner.
const { runRunnableTool = async (tool, rawInput) => {
  try {
    return { content: await tool.run(tool.parse ? tool.parse(rawInput) : rawInput), isError: false };
  } catch (error) {
    const text = `Error: ${error instanceof Error ? error.message : String(error)}`;
    return { content: error instanceof ToolError ? error.content : text, isError: true };
  }
} } = require('@anthropic-ai/sdk/lib/tools/BetaRunnableTool');

let tool;

async function open(root) {
  const memory = await BetaLocalFilesystemMemoryTool.init(root);
  tool = betaMemoryTool(memory);
  return memory.memoryRoot;
}

async function answer(message) {
  if (message.type === 'reset') {
    const store = await open(message.root);
    return { type: 'ready', store, name: '@anthropic-ai/sdk (TypeScript)', version: VERSION };
  }
  if (message.type !== 'tool_use') throw new Error(`unknown message type ${JSON.stringify(message.type)}`);
  if (!tool) throw new Error('no store: send a reset first, or set MEMCONF_ROOT');
  const result = { type: 'tool_result', tool_use_id: message.id };
  const { content, isError } = await runRunnableTool(tool, message.input, {});
  if (typeof content !== 'string' && !Array.isArray(content)) {
    const text = `Error: the tool returned ${content === null ? 'null' : typeof content}, not a string or a list of content blocks`;
    return { ...result, content: text, is_error: true };
  }
  return { ...result, content: sendable(content), ...(isError ? { is_error: true } : {}) };
}

// A lone surrogate cannot be sent: the API refuses the request that holds one.
function sendable(content) {
  if (typeof content === 'string') return content.replace(/\p{Surrogate}/gu, '\ufffd');
  return content.map((block) => (typeof block?.text === 'string' ? { ...block, text: sendable(block.text) } : block));
}

async function reply(line) {
  let text;
  try {
    text = JSON.stringify(await answer(JSON.parse(line)));
  } catch (error) {
    text = JSON.stringify({ type: 'error', message: String(error) });
  }
  // One reply is out before the next line is looked at: a slow reader slows the adapter, and nothing piles up.
  await new Promise((done) => write(`${text}\n`, done));
}

if (MEMCONF_ROOT) await open(resolve(MEMCONF_ROOT));
process.stdin.setEncoding('utf8');
let begun = []; // the pieces of a line whose end has not come yet
for await (const chunk of process.stdin) {
  const lines = chunk.split('\n');
  begun.push(lines.shift());
  for (const rest of lines) {
    await reply(begun.join(''));
    begun = [rest];
  }
}
process.exit(0);
