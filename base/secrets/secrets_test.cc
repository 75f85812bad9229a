// SPDX-License-Identifier: Apache-2.0
#include "base/secrets/secrets.h"

#include <chrono>

#include "tests/catch_compat.h"

using namespace inquest;

namespace {

// None of these is, or was, anybody's.
constexpr const char* kTokens[] = {
    "ghp_"
    "16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_"
    "11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789abcdefghij",
    "glpat-"
    "xYzAbC1234567890defg",
    "hf_"
    "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH",
    "sk-proj-"
    "Ab12Cd34Ef56Gh78Ij90Kl12Mn34",
    "sk-ant-api03-"
    "Ab12Cd34Ef56Gh78Ij90Kl12Mn34-AbCdEfGh",
    "xoxb-"
    "123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
    "AKIA"
    "IOSFODNN7EXAMPLE",
    "ASIA"
    "QWERTYUIOP123456",
    "AIza"
    "SyA1234567890abcdefghijklmnopqrstuv",
    "eyJ"
    "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "npm_"
    "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "pypi-"
    "AgEIcHlwaS5vcmcCJDEyMzQ1Njc4LTEyMzQ",
    "dckr_pat_"
    "AbCdEf0123456789-GhIjKl",
    "SG."
    "AbCdEfGhIjKlMnOpQrStUv.WxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz012",
    "nvapi-"
    "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "gsk_"
    "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "ya29."
    "a0AfH6SMBxAbCdEfGhIjKlMnOpQrSt",
};

struct Case {
  const char* text;
  const char* masked;
};

}  // namespace

TEST_CASE("tokens with a known prefix are masked wherever they stand") {
  for (const std::string token : kTokens) {
    for (const std::string& text :
         {token, "got " + token, "[" + token + "]", "a=" + token + ",b",
          "https://host/x?y=" + token + "&z=1", "'" + token + "'"}) {
      CAPTURE(text);
      const std::string masked = MaskSecrets(text);
      CHECK(masked.find(token) == masked.npos);
      CHECK(masked.find("[masked]") != masked.npos);
      CHECK(MaskSecrets(masked) == masked);
    }
  }
}

TEST_CASE("values of names that name a secret are masked") {
  const Case cases[] = {
      {"PASSWORD=hunter2", "PASSWORD=[masked]"},
      {"export DB_PASSWORD='two words' x", "export DB_PASSWORD='[masked]' x"},
      {"--password hunter2 train.py", "--password [masked] train.py"},
      {"--api-key=SECRET2 --lr 0.1", "--api-key=[masked] --lr 0.1"},
      {"--token abcdef --x", "--token [masked] --x"},
      {"\"client_secret\": \"a b c\", \"x\": 1",
       "\"client_secret\": \"[masked]\", \"x\": 1"},
      {R"({\"api_key\": \"a1b2\"})", R"({\"api_key\": \"[masked]\"})"},
      {"Namespace(api_key='abc', password='x', max_tokens=512)",
       "Namespace(api_key='[masked]', password='[masked]', max_tokens=512)"},
      {"HF_TOKEN=abcdefgh python x", "HF_TOKEN=[masked] python x"},
      {"password: hunter2", "password: [masked]"},
      {"pass: QzRtYpLkMnXw7", "pass: [masked]"},
      {"password: changeme", "password: [masked]"},
      {"AccountKey=Zm9vYmFy/Zm9v+A==;Endpoint=x",
       "AccountKey=[masked];Endpoint=x"},
      {"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG",
       "aws_secret_access_key = [masked]"},
      {"wandb login 0123456789abcdef0123456789abcdef01234567",
       "wandb login [masked]"},
      {"WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567",
       "WANDB_API_KEY=[masked]"},
      {"Authorization: Bearer abc.def", "Authorization: Bearer [masked]"},
      {"'Authorization': 'Basic dXNlcjpwYXNz'",
       "'Authorization': 'Basic [masked]'"},
      {"authorization: 0123abcd", "authorization: [masked]"},
      {"bearer 0a1b2c3d4e5f6a7b", "bearer [masked]"},
      {"postgres://joe:pa55@db:5432/x", "postgres://joe:[masked]@db:5432/x"},
      {"redis://:pa55@db", "redis://:[masked]@db"},
      {"https://0123456789abcdef0123@sentry.io/1",
       "https://[masked]@sentry.io/1"},
      {"http://u:p/w@h/x", "http://u:[masked]@h/x"},
      {"https://h/b?X-Amz-Signature=0a1b2c&x=1",
       "https://h/b?X-Amz-Signature=[masked]&x=1"},
      {"https://h/b?sv=2020&sig=Zm9vYmFy123%3D&x=1",
       "https://h/b?sv=2020&sig=[masked]&x=1"},
      {"-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE "
       "KEY-----\nx",
       "-----BEGIN RSA PRIVATE KEY-----[masked]-----END RSA PRIVATE "
       "KEY-----\nx"},
      {"{\"auth\": \"dXNlcjpwYXNz\"}", "{\"auth\": \"[masked]\"}"},
      {"_authToken=0a1b2c3d", "_authToken=[masked]"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    CHECK(MaskSecrets(one.text) == one.masked);
    CHECK(MaskSecrets(one.masked) == one.masked);
  }
}

TEST_CASE("what only looks similar stays") {
  for (const std::string text : {
           "NUM_TOKENS=4096",
           "max_tokens=512, --max-tokens 4096",
           "TOKENIZERS_PARALLELISM=false",
           "--tokenizer-path /data/llama3/tokenizer.model",
           "tokenizer_name='meta-llama/Llama-3-8b12345'",
           "tokens per second: 12345.6",
           "pad_token='<|endoftext|>', eos_token=\"</s>\"",
           "pad_token_id=50256 image_token=<image12345>",
           "t_prompt = 812.33 ms, t_token = 1057.321 ms, n_token=100000",
           "token: 1234/5000",
           "invalid token: expired",
           "password: too short",
           "password=None, secret=null, token=True",
           "api_key=api_key, token=self.token)",
           "    password = os.environ[\"DB_PASSWORD\"]",
           "    token = get_token(path)",
           "password_file=/etc/x --token-limit 100",
           "GOOGLE_APPLICATION_CREDENTIALS=/home/x/adc.json",
           "client_secret.json: No such file",
           "Permission denied (publickey,password).",
           "use --token to log in; the --password option is required",
           "HF_TOKEN=$HF_TOKEN PASSWORD=${PASSWORD} KEY=<your key>",
           "commit 0123456789abcdef0123456789abcdef01234567",
           "sha256:"
           "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852",
           "uuid 123e4567-e89b-12d3-a456-426614174000",
           "GPU-5d1a3c7e-0f1e-2d3c-4b5a-69788796a5b4",
           "KeyError: 'layers.0.self_attn.q_proj.weight'",
           "cache_key=0a1b2c3d4e5f sort_key: abc12345",
           "state dict key: model.layers.31.mlp.down_proj.weight",
           "hf_"
           "hub_download_timeout_0123456789",
           "sk-learn-contrib-package-name",
           "npm_"
           "config_registry=https://registry.npmjs.org",
           "https://github.com/pytorch/pytorch/issues/12345",
           "tcp://10.0.0.1:29500 http://[::1]:80/a@b",
           "http://host:8080/path@x git@github.com:a/b.git",
           "ssh://git@github.com/a/b",
           "secretsmanager:GetSecretValue on resource",
           "forward_pass: 123abc45 ms",
           "Graph optimization failed pass: loadTpcKernels",
           "PWD=/home/x OLDPWD=/",
           "CUDA error: an illegal memory access was encountered",
           "NCCL WARN Cuda failure 2 'out of memory'",
           "ncclUniqueId 0x7f1200000000 key 0xabcdef1234",
           "data:image/png;base64,eyJhbGciOiJIUzI1NiJ9",
           "password == other, token != 3",
           "from secrets import token_hex; secrets.token_hex(16)",
       }) {
    CAPTURE(text);
    CHECK(MaskSecrets(text) == text);
  }
}

TEST_CASE("arguments of a program") {
  const std::vector<std::string> words = {"/usr/bin/curl",
                                          "-u",
                                          "joe:two words",
                                          "--password",
                                          "two words",
                                          "--token",
                                          "--next",
                                          "--secret=my own",
                                          "API_KEY=a b",
                                          "--n",
                                          "3",
                                          "--api-key",
                                          "k",
                                          "x"};
  CHECK(MaskCommand(words) ==
        std::vector<std::string>{"/usr/bin/curl", "-u", "joe:[masked]",
                                 "--password", "[masked]", "--token", "--next",
                                 "--secret=[masked]", "API_KEY=[masked] b",
                                 "--n", "3", "--api-key", "[masked]", "x"});
}

TEST_CASE("variables") {
  CHECK(MaskVariable("CUDA_API_PASSWORD", "a b=c") == "[masked]");
  CHECK(MaskVariable("NCCL_X", "http://a:b@c") == "http://a:[masked]@c");
  CHECK(MaskVariable("TOKENIZERS_PARALLELISM", "true") == "true");
  CHECK(MaskVariable("XLA_FLAGS", "--xla_gpu=1") == "--xla_gpu=1");
}

TEST_CASE("a private key in several lines") {
  SecretLines lines;
  CHECK_FALSE(lines.Masked("-----BEGIN OPENSSH PRIVATE KEY-----"));
  CHECK(lines.Masked("b3BlbnNzaC1rZXktdjEAAAAA") == "[masked]");
  CHECK(lines.Masked("") == "[masked]");
  CHECK_FALSE(lines.Masked("-----END OPENSSH PRIVATE KEY-----"));
  CHECK_FALSE(lines.Masked("loss 0.1"));
  CHECK_FALSE(lines.Masked("-----BEGIN CERTIFICATE-----"));
  CHECK_FALSE(lines.Masked("b3BlbnNzaC1rZXktdjEAAAAA"));
}

TEST_CASE("hostile texts take linear time") {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string piece :
       {"://", "password=\"", "-----BEGIN ", "token='x ", "a:b@", "--token ",
        "eyJ.", "hf_", "\\\"", "=", "secret:   ", "sk-a-", "Bearer ",
        "secret:{", "token=$A."}) {
    std::string text;
    while (text.size() < 200'000) text += piece;
    MaskSecrets(text);
  }
  // Not a measurement: quadratic time is minutes, and this is a second or, with
  // a sanitizer, ten.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}
