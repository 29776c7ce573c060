// Loaded before the suite: servers that do not say where they listen do so on this machine alone.
import { Server } from 'node:net';

const listen = Server.prototype._listen2;
Server.prototype._listen2 = function (address, port, family, ...rest) {
  return address === null && port !== -1
    ? listen.call(this, '127.0.0.1', port, 4, ...rest)
    : listen.call(this, address, port, family, ...rest);
};
