import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const [program, ...args] = JSON.parse(process.env.COMMAND)
const handler = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
const lines = createInterface({ input: handler.stdout })[Symbol.asyncIterator]()
const send = async (message) => {
  handler.stdin.write(JSON.stringify(message) + '\n')
  return JSON.parse((await lines.next()).value)
}

export async function memory() {
  await send({ type: 'reset', root: mkdtempSync(join(tmpdir(), 'vectors-')) })
  return async (input) => {
    const { content, is_error } = await send({ type: 'tool_use', id: 't', name: 'memory', input })
    const text = Array.isArray(content) ? content.map((block) => block.text ?? '').join('') : content ?? ''
    return { text, isError: is_error ?? false }
  }
}
