// Goal: what the build signs is what the agent's verification accepts, and openssl as well. Method: a real key and a real
// file; the command line as a process.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runMinga } from '../apps/minga/test/commands/minga-fixture.ts'
import { signRelease } from './sign-release.ts'

const folder = mkdtempSync(join(tmpdir(), 'minga-release-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const inFolder = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

test('a signed tarball is verified by the command and by openssl, a changed one by neither', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const keyFile = inFolder(
    'key.pem',
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  )
  const key = inFolder('key.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString())
  const file = inFolder('minga-agent-1.2.3.tgz', 'the program')
  const manifest = signRelease(file, { version: '1.2.3', keyFile })

  const verify = (...options: string[]) =>
    runMinga(['agent', 'verify', file, '--key', key, ...options])
  const verified = await verify()
  assert.deepEqual([verified.code, verified.err], [0, ''])
  assert.match(verified.out, /is the signed minga-agent-1\.2\.3\.tgz, version 1\.2\.3/)

  const signature = join(folder, 'signature')
  writeFileSync(signature, Buffer.from(readFileSync(`${manifest}.sig`, 'latin1'), 'base64'))
  const by = ['-pubin', '-inkey', key, '-rawin', '-in', manifest, '-sigfile', signature]
  assert.match(String(execFileSync('openssl', ['pkeyutl', '-verify', ...by])), /Verified/)

  const tooOld = await verify('--minimum', '1.3.0')
  assert.match(tooOld.err, /older than the minimum 1\.3\.0.*MINGA_BAD_RELEASE/)
  writeFileSync(file, 'another one')
  const changed = await verify()
  assert.equal(changed.code, 1)
  assert.match(changed.err, /not the one that was signed.*MINGA_BAD_RELEASE/)
})
